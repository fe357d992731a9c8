//go:build unix && !linux

package pgserver

func (s *Server) makeRoom() error {
	if s.o.Room != 0 {
		return ErrNoDisk
	}
	return nil
}

func (*Server) giveRoom() {}

// FillDisk takes all the room that is left on the server's disk, and returns what gives it back.
func (*Server) FillDisk() (func() error, error) { return nil, ErrNoDisk }

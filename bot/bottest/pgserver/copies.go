//go:build unix

package pgserver

import (
	"fmt"
	"path/filepath"
)

// takeOver takes the databases of the server in another folder over, as pg_dump and pg_restore do.
func (s *Server) takeOver(from string) error {
	dump := filepath.Join(s.Dir, "copy.dump")
	for _, c := range [][]string{
		{"pg_dump", "--format=custom", "--file=" + dump, "--dbname=host=" + from + " user=bot dbname=postgres"},
		{"pg_restore", "--dbname=host=" + s.Dir + " user=bot dbname=postgres", dump},
	} {
		if out, err := s.serverCommand(filepath.Join(s.bin, c[0]), c[1:]...).CombinedOutput(); err != nil {
			return fmt.Errorf("%s: %w\n%s", c[0], err, out)
		}
	}
	return nil
}

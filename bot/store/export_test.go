package store

// Statements returns every statement that the store has of the database.
func Statements() []string {
	var texts []string
	for _, text := range new(queries).texts() {
		texts = append(texts, text)
	}
	for _, text := range new(deskQueries).reads() {
		texts = append(texts, text)
	}
	texts = append(texts, insertRequest, selectBefore, selectSent)
	for _, st := range new(applier).all() {
		texts = append(texts, st.text)
	}
	return texts
}

// AboveResult returns the statements that read messages above one that is given as $3.
func AboveResult() []string { return []string{selectSent, selectAbove} }

// Pragma changes a setting of the connection that writes.
func (s *SQLite) Pragma(text string) error {
	done := make(chan error, 1)
	s.Commit(Write{Done: func(Receipt) {
		_, err := s.writes.conn.call("PRAGMA "+text, s.writes.conn.execute)
		done <- err
	}})
	return <-done
}

// Around lets the commits of a desk, and its looks whether one is stored, go through f; see Options.
func (d *Desk) Around(f func(commit func() error) error) { d.around = f }

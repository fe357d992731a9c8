package main

import "strings"

// StoreFile is the path of the SQLite file.
type StoreFile string

// UnmarshalText reads "sqlite:" and a path. What it refuses is not repeated: it may hold a password.
func (s *StoreFile) UnmarshalText(text []byte) error {
	engine, path, _ := strings.Cut(string(text), ":")
	switch {
	case engine == "postgres" || engine == "postgresql":
		return problem("names PostgreSQL, which is not in this version; use SQLite")
	case engine != "sqlite":
		return problem(`does not begin with "sqlite:"`)
	case path == "":
		return problem("names no file")
	case strings.HasPrefix(path, "//"):
		return problem(`has "//" before the path; write the path right after "sqlite:"`)
	}
	*s = StoreFile(path)
	return nil
}

package record

import "time"

// LostCommits is what is known of a loss.
type LostCommits struct {
	Worker string    `json:"worker"` // who has found it
	At     time.Time `json:"at"`     // when, by the database's clock

	// Who has accepted it, when, by the database's clock, and why. At first nobody has.
	By         string    `json:"by,omitzero"`
	AcceptedAt time.Time `json:"accepted_at,omitzero"`
	Why        string    `json:"why,omitzero"`
}

// Server is what of the settings of a server decides whether it keeps what it has confirmed.
type Server struct {
	Fsync     bool // off: a loss of power may damage the database
	FullPages bool // off: the same, in the middle of writing a page
	Waits     bool // commits wait for the server's disk; off: the last ones may be lost
	Unproven  bool // it is on another machine, and need not prove that it is the one that the URL names
	MD5       bool // it asks for the password as an MD5 hash, with which an eavesdropper may sign in
	Behind    int  // standbys, if commits do not wait for any: one that takes over may lack the last ones

	Untold string // why it does not tell this user which server it is; "" when it does

	Lost *LostCommits // what it has lost, if a worker has found that, and nobody has accepted it yet; nil for nothing
}

// Sealing is how far it is with what is to be sealed with the newest key of a file.
type Sealing struct {
	Keys   int       // that the file has had; 0: nothing is sealed
	Looked int64     // rows that were looked at
	DoneAt time.Time // zero: it goes on
}

package event

// Pace limits how fast one account acts. The zero value does not limit.
type Pace struct {
	Account      Rate          // all actions together
	Conversation Rate          // the actions of one conversation
	Verb         map[Verb]Rate // the actions of one verb
}

// Rate is so many a second, with so many at once. The zero value is unlimited.
type Rate struct {
	PerSecond float64
	Burst     int
}

package view

// DefaultOwner is who takes a conversation over unless somebody is named. A name of its own: a takeover
// by writing in the chat ends by itself.
const DefaultOwner = "team"

package platform

// Message is a private message, in the order of its ID.
type Message struct {
	ID        MessageID
	From      UserID
	To        UserID
	Own       bool   // sent by the asking account, from wherever
	Text      string // HTML entities decoded, without markup; "Image" for a picture
	MediaType string // "none" or "image"
	MediaURL  string
	Seen      bool
	Time      string // as shown: minute precision, no zone, localised; never order by it
}

// Media reports whether the message is a picture.
func (m Message) Media() bool { return m.MediaType != "" && m.MediaType != "none" }

package platform

// Chat is a row of the chat list. The list tells neither the last message's id nor its sender.
type Chat struct {
	Peer     UserID
	Chat     ChatID
	Username string // without "@"
	Name     string
	Last     string // text of the last message, perhaps cut; HTML entities decoded, without markup
	Marked   string // the same with the markup that the platform has put into it; "" where there is none
	Unread   int
	Time     string // humanised ("5 minutes ago"); it ages by itself
}

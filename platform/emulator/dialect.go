package emulator

import "time"

// Dialect is the set of answers in which deployments of the platform disagree. Its zero value is
// the documented behaviour; each field is one disagreement, seen in published documentation, in
// independent clients, or left open by both.
type Dialect struct {
	// Sign-in and sessions.
	LoginNested       bool // login and oauth: data.user {user_id, …} instead of the user in data itself
	TokensInData      bool // login and oauth: the tokens come in data instead of auth
	RefreshInAuth     bool // refresh_access_token: the tokens come in auth instead of data
	ExpiryMillis      bool // auth_token_expiry in milliseconds
	ExpiryAbsent      bool // no auth_token_expiry
	RefreshKeeps      bool // a refresh token may be used again, and the answer repeats it
	RefreshOmits      bool // as RefreshKeeps, but the answer has no refresh token
	OldSessionStays   bool // a refresh does not end the session it renews
	Unauthorized400   bool // a missing, unknown or expired session or refresh token is 400 instead of 401
	StaleIsAnonymous  bool // public endpoints answer an ended session as if none was sent, instead of 401
	StatusFollowsCode bool // the HTTP status is the code, instead of always 200

	// Clock is by how much the platform's clock is ahead of this machine's, or behind it: of the header Date and of Retry-After, which is a
	// date then, of when a session expires, and of when a post or message was written. Ages go by nobody's clock.
	Clock time.Duration

	// The envelope.
	Code          Code   // where the code stands
	Nameless      bool   // send_message and publish_post answer [] in the place of what was made
	OldKeys       bool   // adds valid and err_code: 0 on success, a text on error
	ErrorCodeKey  bool   // err_code is called error_code
	NoMessage     bool   // no message key
	CodeLast      bool   // data comes before code and message
	ExtraKeys     bool   // unknown keys beside the known ones, also in rows
	WrongCharset  bool   // the header says ISO-8859-1; the bytes are UTF-8 all the same
	Empty         Empty  // how a list without rows is told
	EmptyAsObject bool   // {} stands for nothing instead of []
	Localised     bool   // messages and humanised times are Russian
	MinuteAges    bool   // humanised times are to the minute: the first one long, it is just now
	Toggle        Toggle // shape of the answers of like_post, publication_repost and add_bookmark

	// Scalars and lists.
	ListsAsObjects  bool // lists come as objects with numbers as keys
	NumbersAsText   bool // ids and codes come as text
	CountsAsNumbers bool // the counts of posts and Unix times come as numbers
	FlagsAsText     bool // booleans come as "0" and "1"
	FlagsAsNumbers  bool // booleans come as 0 and 1
	DigitsAsFlags   bool // what is "0" and "1" comes as booleans
	UnicodeEscapes  bool // \u043f and \/ instead of the characters themselves
	Markup          bool // texts come as a page shows them: <br /> at the ends of lines, links around addresses, names and tags
	RawText         bool // texts are not escaped for HTML
	KeepsSpaces     bool // texts are stored as they came, instead of trimmed
	AtNames         bool // "@" before every user name
	NoAtNames       bool // "@" before no user name, not even in lists of people

	// Chats and messages.
	LastCut            int    // get_chats cuts last_message to so many characters and adds "..."; 0 never
	Unread             Unread // the shape of new_messages
	Messages           Absent // whether get_messages exists
	NewestPageFirst    bool   // offset_down with more than a page of news: the newest page instead of the oldest
	MessagesDescending bool   // messages of a page come newest first
	ReadKeepsUnseen    bool   // get_messages does not mark messages as seen
	Disorder           bool   // pages of messages and notifications have no order, and repeat rows

	// Posts and notifications.
	PageCap           int  // largest page_size; more is cut to it; 0 none
	PageLeast         int  // smallest page_size; fewer become as many
	NoOffset          bool // get_messages and get_notifications know no cursor: each page is the newest one
	RowsAscending     bool // get_notifications shows the oldest first, and above its offset
	Adverts           bool // a page of posts holds one advert more, without offset_id
	NullOwners        bool // the owner of a post has null members
	NoPostID          bool // notifications have no post_id
	UnknownSubjects   bool // each notification brings along one of a subject nobody knows
	ReplyMentionsToo  bool // a reply that names the author of the post is also a mention
	FetchReads        bool // get_notifications marks what it shows as read
	VisitsByProfile   bool // reading a profile with a session leaves a visit
	ProfileNested     bool // profile: the relation to the asking account comes in data.user
	Untold            bool // posts do not tell whether the asking account has liked or reposted them
	OwnReposts        bool // an author's repost of an own post shows in feeds and profiles, too
	RepostStays       bool // a repost that was taken back and made again shows where it stood before
	RepliesListed     bool // feeds and profile_posts hold replies, too
	SearchMessagesOld bool // search_messages answers oldest first
}

// Code says where the code of an answer stands.
type Code uint8

// The places of the code.
const (
	CodeDocumented Code = iota // code
	CodeInStatus               // status
	CodeAbsent                 // nowhere: as with OldKeys, valid and err_code tell. It wants EmptyIsList
)

// Empty says how a list without rows is told.
type Empty uint8

// The ways to tell an empty list.
const (
	EmptyDocumented Empty = iota // code 204, but 404 of get_notifications
	EmptyIsList                  // code 200 with an empty list
	EmptyIs204                   // code 204 everywhere
)

// Toggle says what the answer to a toggle holds.
type Toggle uint8

// The shapes of a toggle's answer.
const (
	ToggleFlat   Toggle = iota // {"like": true}
	ToggleNested               // {"like": {"like": true}}
	ToggleBare                 // true
	ToggleSilent               // []: the answer does not tell the state
)

// Unread says how get_chats counts the messages that were not seen.
type Unread uint8

// The shapes of new_messages.
const (
	UnreadMixed  Unread = iota // a number, but "" for none
	UnreadNumber               // a number
	UnreadText                 // a number as text, "" for none
)

// Absent says how a missing endpoint answers.
type Absent uint8

// The ways of an endpoint to be missing.
const (
	Present    Absent = iota // it is there
	AbsentPage               // HTTP 404 with an HTML page
	AbsentCode               // code 400 in the envelope
)

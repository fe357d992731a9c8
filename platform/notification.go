package platform

// NotificationType names one of the two lists that get_notifications serves.
type NotificationType string

// The two lists.
const (
	Notifs   NotificationType = "notifs"
	Mentions NotificationType = "mentions"
)

// Subject says what a notification is about. Unknown values are kept as they came.
type Subject string

// The subjects that are known from public material.
const (
	SubjectFollow        Subject = "subscribe"
	SubjectFollowRequest Subject = "subscribe_request"
	SubjectFollowAccept  Subject = "subscribe_accept"
	SubjectLike          Subject = "like"
	SubjectReply         Subject = "reply"
	SubjectRepost        Subject = "repost"
	SubjectMention       Subject = "mention"
	SubjectVisit         Subject = "visit"
)

// Notification is a row of the notification lists.
type Notification struct {
	ID       NotificationID
	From     UserID // "notifier_id"
	To       UserID
	Subject  Subject
	Entry    int64  // "entry_id": what it names depends on the subject and is not documented
	Post     PostID // "post_id", or Entry for the subjects about posts; 0 for the others
	Username string // without "@"
	Name     string
	Verified bool
	Read     bool
	Time     string // humanised ("2 hours ago"), perhaps localised; never order by it
}

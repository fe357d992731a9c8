package platform

// UserID names a person or an account on the platform.
type UserID int64

// PostID names a post, a thread or a reply; the platform has one number space for the three.
type PostID int64

// MessageID names a private message. Ids grow with time over the whole platform, with gaps.
type MessageID int64

// NotificationID names a row of the notification lists. Ids grow with time, with gaps.
type NotificationID int64

// ChatID names a chat. No call takes it: messages are addressed by the other person's UserID.
type ChatID int64

// MediaID names an uploaded picture or video that waits for its post.
type MediaID int64

// RowID is the position of an item in a list ("offset_id"); it is neither a post nor a user id.
type RowID int64

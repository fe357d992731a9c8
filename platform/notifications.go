package platform

import (
	"cmp"
	"context"
	"net/http"
	"strconv"
)

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

// NotificationsParams choose a page of a notification list, newest first.
type NotificationsParams struct {
	Type     NotificationType // defaults to Notifs
	PageSize int              // defaults to 20
	Offset   NotificationID   // the last row of the page before; 0 for the first page
	Whole    bool             // keep all rows of an answer, and not only RowsKept(PageSize) of them, the highest ones below Offset
}

// Notifications reads a page of a notification list, newest first.
func (c *Client) Notifications(ctx context.Context, p NotificationsParams) ([]Notification, error) {
	if p.Type == "" {
		p.Type = Notifs
	}
	// The contract allows POST here, which keeps the session out of the address.
	req := request{
		method: http.MethodPost, endpoint: "get_notifications", access: protected, missing: true,
		params: newParams().text("type", string(p.Type)).addPage(p.PageSize, int64(p.Offset)),
	}
	page := kept[Notification]{decode: readNotification}
	if !p.Whole {
		page.most = RowsKept(p.PageSize)
		page.nearest = func(a, b *Notification) int {
			// Where the platform does not know the offset, the rows below it are on this page, too, and nearer than those above.
			return cmp.Or(compareBool(p.above(a), p.above(b)), cmp.Compare(b.ID, a.ID)) //mutate:rows-nearest
		}
	}
	return page.streamRows(ctx, c, req)
}

// above reports whether a row stands at the offset or above it.
func (p *NotificationsParams) above(n *Notification) bool { return p.Offset > 0 && n.ID >= p.Offset }

// compareBool puts what is not before what is.
func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	default:
		return 1
	}
}

// DeleteNotifications removes rows from the notification lists. Without ids it does nothing.
func (c *Client) DeleteNotifications(ctx context.Context, ids ...NotificationID) error {
	if len(ids) == 0 {
		return nil
	}
	scope := []byte{'['}
	for i, id := range ids {
		if i > 0 {
			scope = append(scope, ',')
		}
		scope = strconv.AppendInt(scope, int64(id), 10)
	}
	// Clients disagree about the encoding of the list; the documentation reads like JSON text.
	return c.call(ctx, request{
		method: http.MethodPost, endpoint: "delete_notifs", access: protected,
		params: newParams().text("scope", string(append(scope, ']'))),
	}, nil)
}

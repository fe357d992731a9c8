// Package wire reads the JSON of the platform, in all the forms in which deployments send it.
//
// The answers of deployments differ in ways that no decoder of whole structs accepts: numbers as strings and back, "[]" for
// an object that is absent, lists that arrive as objects. So answers are read member by member, from the raw bytes:
//
//	for o := answer.Members(); o.Next(); {
//		switch string(o.Key) {
//		case "user_id":
//			m.From = UserID(o.Val.ID())
//		case "message":
//			m.Text = o.Val.Prose()
//		}
//	}
//
// Skip finds where values end and that they are whole (skip.go), Object and List walk through them (walk.go), and the methods
// of Value tell what a member means (value.go). Nothing is an error: what cannot be read is zero.
package wire

package platform

import "bytes"

// ChatRows is a chat list as it arrived, cut into rows. The zero value is an empty list.
type ChatRows struct {
	body []byte
	rows []chatRow
}

// chatRow is where a row stands in the body, and what is needed of it without decoding.
type chatRow struct {
	start, end         int
	timeStart, timeEnd int
	unread             int
	peer               UserID
	digest             uint64
}

// Len returns the number of rows.
func (r ChatRows) Len() int { return len(r.rows) }

// Equal tells whether the two lists arrived as the same bytes, so that no row can differ.
func (r ChatRows) Equal(other ChatRows) bool { return bytes.Equal(r.body, other.body) }

// Peer returns the other person of row i.
func (r ChatRows) Peer(i int) UserID { return r.rows[i].peer }

// Unread returns the number of unread messages of row i, as far as the platform tells.
func (r ChatRows) Unread(i int) int { return r.rows[i].unread }

// Digest returns a hash of row i without its time, which ages by itself. Equal rows have equal
// digests, in every process; that different rows have different ones is as good as certain.
func (r ChatRows) Digest(i int) uint64 { return r.rows[i].digest }

// Time returns the humanised time of row i.
func (r ChatRows) Time(i int) string {
	return value(r.body[r.rows[i].timeStart:r.rows[i].timeEnd]).prose()
}

// Decode reads row i.
func (r ChatRows) Decode(i int) (Chat, error) {
	chat, ok := readChat(r.body[r.rows[i].start:r.rows[i].end])
	if !ok {
		return chat, errNoID
	}
	return chat, nil
}

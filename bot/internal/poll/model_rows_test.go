package poll_test

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/nectar-bot/nectar/platform"
)

func (t *talk) visible() []*message {
	var out []*message
	for _, m := range t.messages {
		if !m.hidden && !m.gone {
			out = append(out, m)
		}
	}
	return out
}

func (w *model) chatRows() []any {
	type shown struct {
		t    *talk
		last *message
	}
	var list []shown
	for _, t := range w.talks {
		all := t.visible()
		if !w.asOf.IsZero() {
			all = slices.DeleteFunc(all, func(m *message) bool { return m.at.After(w.asOf) })
		}
		if len(all) > 0 && !t.unlisted && !w.noChats {
			list = append(list, shown{t, all[len(all)-1]})
		}
	}
	slices.SortFunc(list, func(a, b shown) int {
		if w.habits.Unsorted {
			return cmp.Compare(a.t.peer, b.t.peer)
		}
		return cmp.Or(b.last.at.Compare(a.last.at), cmp.Compare(b.last.id, a.last.id))
	})
	rows := make([]any, len(list))
	for i, s := range list {
		text := s.last.text
		if w.habits.Cut > 0 && len(text) > w.habits.Cut {
			text = text[:w.habits.Cut] + "..."
		}
		unread := any("")
		if s.t.unread > 0 && !w.habits.NoCount {
			unread = s.t.unread
		}
		rows[i] = map[string]any{
			"user_id": s.t.peer, "username": fmt.Sprintf("p%d", s.t.peer), "name": fmt.Sprintf("%sPerson %d", w.renamed, s.t.peer),
			"last_message": text, "new_messages": unread, "time": w.ago(s.last.at),
		}
	}
	return rows
}

func (w *model) messageRows(peer platform.UserID, after, before int64, size int) []any {
	t := w.talks[peer]
	if t == nil {
		return nil
	}
	if size == 0 {
		size = 20
	}
	if w.habits.Cap > 0 {
		size = min(size, w.habits.Cap)
	}
	size = max(size, w.least)
	if w.habits.IgnoresAfter {
		after = 0
	}
	all := slices.DeleteFunc(t.visible(), func(m *message) bool {
		id := cmp.Or(m.as, m.id)
		if w.habits.Inclusive {
			return id < after || before > 0 && id > before
		}
		return id <= after || before > 0 && id >= before
	})
	slices.SortStableFunc(all, func(a, b *message) int { return cmp.Compare(cmp.Or(a.as, a.id), cmp.Or(b.as, b.id)) })
	if after > 0 && !w.habits.NewestFirst {
		all = all[:min(size, len(all))]
	} else {
		all = all[max(0, len(all)-size):]
	}
	if w.habits.Descending {
		slices.Reverse(all)
	}
	if !w.habits.KeepsUnseen {
		t.unread = 0
	}
	rows := make([]any, len(all))
	for i, m := range all {
		from, to := peer, me
		if m.own {
			from, to = me, peer
		}
		rows[i] = map[string]any{
			"id": cmp.Or(m.as, m.id), "sent_by": from, "sent_to": to, "owner": m.own, "message": m.text,
			"media_type": "none", "media_file": "", "seen": "0", "time": "today",
		}
	}
	return w.mixed(rows)
}

func (w *model) noteRows(list string, offset int64, size int) []any {
	if w.habits.Cap > 0 {
		size = min(size, w.habits.Cap)
	}
	size = max(size, w.least)
	if w.noOffset {
		offset = 0
	}
	var rows []any
	if w.ascending {
		return w.rowsAbove(list, offset, size)
	}
	all := slices.Clone(w.notes[list])
	slices.SortStableFunc(all, func(a, b *note) int { return cmp.Compare(cmp.Or(a.as, a.id), cmp.Or(b.as, b.id)) })
	for _, n := range slices.Backward(all) {
		id := cmp.Or(n.as, n.id)
		if n.gone || n.hidden || offset > 0 && (id > offset || id == offset && !w.habits.Inclusive) {
			continue
		}
		if len(rows) == size {
			break
		}
		rows = append(rows, w.noteRow(n))
	}
	return w.mixed(rows)
}

// rowsAbove returns the rows above an id, the oldest first.
func (w *model) rowsAbove(list string, offset int64, size int) (rows []any) {
	for _, n := range w.notes[list] {
		if !n.gone && !n.hidden && n.id > offset && len(rows) < size {
			rows = append(rows, w.noteRow(n))
		}
	}
	return rows
}

func (w *model) noteRow(n *note) any {
	status := "0"
	if n.read {
		status = "1"
	}
	return map[string]any{
		"id": cmp.Or(n.as, n.id), "notifier_id": n.from, "recipient_id": me, "subject": n.subject, "entry_id": n.id,
		"status": status, "username": "x", "name": "X", "time": w.ago(n.at),
	}
}

// withoutEnd puts a page of rows that nobody made above the others of a list that has no end.
func (w *model) withoutEnd(list string, rows []any, below int64) []any {
	if list != w.endless {
		return rows
	}
	const first = 1 << 30
	if below == 0 || below > first {
		below = first
	} else {
		rows = nil
	}
	for i := range int64(300) {
		rows = append(rows, map[string]any{"id": below - 1 - i, "notifier_id": 50, "subject": "like", "entry_id": 1, "status": "0", "sent_by": 50, "sent_to": me, "message": "boo"})
	}
	return rows
}

// mixed puts the rows of a page out of order.
func (w *model) mixed(rows []any) []any {
	if !w.unsorted {
		return rows
	}
	var out []any
	for start := range min(len(rows), 7) {
		for i := start; i < len(rows); i += 7 {
			out = append(out, rows[i])
		}
	}
	return out
}

// ago humanises a time.
func (w *model) ago(at time.Time) string {
	d := time.Since(at)
	if !w.frozen.IsZero() {
		d = w.frozen.Sub(at)
	}
	if w.habits.Localised {
		return fmt.Sprintf("vor %d Min.", int(d.Minutes()))
	}
	var b bytes.Buffer
	for _, u := range []struct {
		unit time.Duration
		name string
	}{{24 * time.Hour, "day"}, {time.Hour, "hour"}, {time.Minute, "minute"}, {time.Second, "second"}} {
		if n := int(d / u.unit); n > 0 && (u.unit > time.Second || !w.habits.Minutes) {
			fmt.Fprintf(&b, "%d %s", n, u.name)
			if n > 1 {
				b.WriteByte('s')
			}
			b.WriteString(" ago")
			return b.String()
		}
	}
	return "just now"
}

// open is a session that is always valid.
type open struct{}

func (open) SessionID(context.Context) (platform.Secret, error) { return "session", nil }

func (open) Rejected(context.Context, platform.Secret, *platform.Refused) (bool, error) {
	return false, nil
}

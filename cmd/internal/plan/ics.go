package plan

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/arran4/golang-ical"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/cmd/internal/print"
	"github.com/nectar-bot/nectar/handlers/campaigns"
	"github.com/nectar-bot/nectar/handlers/text"
)

// A calendar for phones (RFC 5545). All times are UTC: it needs no rules of time zones, which programs get wrong. An event has the
// name of its account and its slot. What changes in it gets a higher SEQUENCE; what is gone stays as cancelled, so that calendars that have taken
// the file over take it out.

const (
	icsLength = 15 * time.Minute // that an event is shown for
	icsTime   = "20060102T150405Z"
)

// WriteICS writes slots as a calendar. old is what the calendar was, nil for none; what of it covers is true, and is not among the rows,
// is gone.
func WriteICS(rows []SlotRow, old []byte, covers func(event.Account, campaigns.SlotID) bool, now time.Time) ([]byte, error) {
	c := ics.NewCalendarFor("nectar")
	c.SetProductId("-//nectar//campaigns//EN")
	c.SetMethod(ics.MethodPublish)
	before, err := icsEvents(old)
	if err != nil {
		return nil, err
	}
	var events []*ics.VEvent
	is := map[string]bool{}
	for i := range rows {
		e := rows[i].ICSEvent()
		// What stays empty, and never stood there, is nobody's news.
		if is[e.Id()] = true; before[e.Id()] == nil && ICSValue(e, ics.ComponentPropertyStatus) == string(ics.ObjectStatusCancelled) { //mutate:plan-cancelled
			continue
		}
		events = append(events, e)
	}
	for uid, was := range before {
		account, id, ours := slotOf(uid)
		switch {
		case is[uid]:
		case !ours || !covers(account, id) && !covers(account, onDay(id, was)) || !inFuture(was, now):
			events = append(events, was) // it stays as it was
		default:
			events = append(events, cancelled(was))
		}
	}
	for _, e := range events {
		chooseSequence(e, before, now)
	}
	slices.SortStableFunc(events, func(x, y *ics.VEvent) int {
		return cmp.Or(cmp.Compare(ICSValue(x, ics.ComponentPropertyDtStart), ICSValue(y, ics.ComponentPropertyDtStart)), cmp.Compare(x.Id(), y.Id()))
	})
	for _, e := range events {
		c.AddVEvent(e)
	}
	return []byte(c.Serialize(ics.WithNewLineWindows)), nil
}

// icsEvents reads the events of a calendar that we have written, by their names.
func icsEvents(old []byte) (map[string]*ics.VEvent, error) {
	all := map[string]*ics.VEvent{}
	if len(bytes.TrimSpace(old)) == 0 {
		return all, nil
	}
	c, err := ics.ParseCalendar(bytes.NewReader(old))
	if err != nil {
		return nil, fmt.Errorf("it is there, and is no calendar that can be brought up to date: name another file (%s)", print.OneLine(err.Error()))
	}
	for _, e := range c.Events() {
		all[e.Id()] = e
	}
	return all, nil
}

// icsName names the event of a slot: accounts may have campaigns of one id.
func icsName(account event.Account, id campaigns.SlotID) string {
	return string(account) + "/" + id.String()
}

// slotOf returns of which slot an event is, of account "" where its name has none; false for one that is not ours.
func slotOf(name string) (event.Account, campaigns.SlotID, bool) {
	account, slot, named := strings.Cut(name, "/")
	if !named {
		account, slot = "", name
	}
	id, err := campaigns.ParseSlotID(slot)
	return event.Account(account), id, err == nil
}

// ICSEvent is a slot as an event.
func (r *SlotRow) ICSEvent() *ics.VEvent {
	e := ics.NewEvent(icsName(r.Account, r.ID))
	at := r.At
	if r.State == slotEmpty {
		at = r.Minute
	}
	e.SetStartAt(at.UTC())
	e.SetEndAt(at.UTC().Add(icsLength))
	summary := icsText(r.ID.Campaign + ": " + cmp.Or(r.DoesText(), "nothing"))
	if nth := r.NthOf(); nth != "" {
		summary += ", " + nth
	}
	status := ics.ObjectStatusConfirmed
	switch r.State {
	case slotEmpty, SlotFailed:
		status = ics.ObjectStatusCancelled
	case SlotWatched:
		status = ics.ObjectStatusTentative
		summary += " (on watch)"
	case SlotPlanned:
		if r.Approve && !r.Approved {
			status = ics.ObjectStatusTentative
			summary += " (needs approval)"
		}
	default:
	}
	e.SetSummary(summary)
	e.SetStatus(status)
	e.SetTimeTransparency(ics.TransparencyTransparent)
	lines := []string{"account " + icsText(string(r.Account)), "slot " + r.ID.String() + " (" + r.Zone.String() + ")"}
	for line := range strings.Lines(r.Text) {
		lines = append(lines, strings.TrimSpace(icsText(line)))
	}
	if r.Address != "" {
		lines = append(lines, icsText(r.Address))
	}
	if by := r.ApprovedText(); by != "" {
		lines = append(lines, "approved by "+icsText(by))
	}
	if r.Approve && !r.Deadline.IsZero() {
		lines = append(lines, "approve by "+r.Deadline.In(r.Zone).Format("Mon 2 January 15:04"))
	}
	for _, n := range r.NotesText() {
		lines = append(lines, icsText(n))
	}
	e.SetDescription(strings.Join(lines, "\n"))
	return e
}

// icsText is a text that calendars take: no signs that cannot be seen.
func icsText(s string) string { return print.PlainText(s, 0) }

// ICSValue returns the value of a property, "" when it is not there.
func ICSValue(e *ics.VEvent, p ics.ComponentProperty) string {
	if x := e.GetProperty(p); x != nil {
		return x.Value
	}
	return ""
}

// inFuture reports whether an event is still to come.
func inFuture(e *ics.VEvent, now time.Time) bool {
	return ICSValue(e, ics.ComponentPropertyDtStart) > now.UTC().Format(icsTime)
}

// onDay is a slot as if it was called by the day of its event: a person may have moved it there.
func onDay(id campaigns.SlotID, was *ics.VEvent) campaigns.SlotID {
	if at, err := time.Parse(icsTime, ICSValue(was, ics.ComponentPropertyDtStart)); err == nil {
		id.Day = text.DayOf(at)
	}
	return id
}

// cancelled is an event of a slot that is gone.
func cancelled(was *ics.VEvent) *ics.VEvent {
	e := ics.NewEvent(was.Id())
	for _, p := range []ics.ComponentProperty{ics.ComponentPropertyDtStart, ics.ComponentPropertyDtEnd, ics.ComponentPropertySummary, ics.ComponentPropertyDescription, ics.ComponentPropertyTransp} {
		e.SetProperty(p, ICSValue(was, p))
	}
	e.SetStatus(ics.ObjectStatusCancelled)
	return e
}

// chooseSequence gives an event that is as it was its old number and time, and one that has changed the next ones.
func chooseSequence(e *ics.VEvent, before map[string]*ics.VEvent, now time.Time) {
	was, sequence, stamp := before[e.Id()], 0, now
	if was != nil {
		sequence, _ = strconv.Atoi(ICSValue(was, ics.ComponentPropertySequence)) // 0 for none
		if !sameEvent(e, was) {                                                  //mutate:plan-sequence
			sequence++
		} else if t, err := time.Parse(icsTime, ICSValue(was, ics.ComponentPropertyDtstamp)); err == nil {
			stamp = t
		}
	}
	e.SetSequence(sequence)
	e.SetDtStampTime(stamp.UTC())
}

// sameEvent reports whether two events say the same.
func sameEvent(a, b *ics.VEvent) bool {
	for _, p := range []ics.ComponentProperty{ics.ComponentPropertyDtStart, ics.ComponentPropertySummary, ics.ComponentPropertyDescription, ics.ComponentPropertyStatus} {
		if ICSValue(a, p) != ICSValue(b, p) {
			return false
		}
	}
	return true
}

// stdoutName is a file that stands for standard output.
const stdoutName = "-"

// readPlan reads a file that may be there.
func readPlan(name string) ([]byte, error) {
	if name == stdoutName {
		return nil, nil
	}
	if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() { // reading a pipe would wait for its other end
		return nil, fmt.Errorf("%s: it is no ordinary file: name another file, or - for standard output", name)
	}
	content, err := os.ReadFile(name) //nolint:gosec // the user names it
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	return content, nil
}

// writePlan writes a file at once: a reader finds the old one or the new one.
func writePlan(w io.Writer, name string, content []byte, slots int) error {
	if name == stdoutName {
		_, err := w.Write(content)
		return err
	}
	failed := func(err error) error { return fmt.Errorf("write %s: %w", name, err) }
	beside, err := os.CreateTemp(filepath.Dir(name), ".nectar-*.tmp")
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("there is no folder %s: make it, or name another file", filepath.Dir(name))
	}
	if err != nil {
		return failed(err)
	}
	defer func() { _ = os.Remove(beside.Name()) }() // gone when everything went well
	mode := os.FileMode(0o644)                      // calendars are there to be read by other programs
	if info, err := os.Stat(name); err == nil {
		mode = info.Mode().Perm()
	}
	_, err = beside.Write(content)
	err = errors.Join(err, beside.Chmod(mode), beside.Sync(), beside.Close())
	if err == nil {
		err = os.Rename(beside.Name(), name)
	}
	if err != nil {
		return failed(err)
	}
	return print.SayLine(w, "%s in %s", print.CountText(slots, "slot", "slots"), name)
}

package autoresponder_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/inspect"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// darkWords are something that a person said, by the test's own book.
type darkWords struct {
	who     int
	text    string
	deed    int
	row     int  // those of a row are decided about together
	public  bool // a mention
	owned   bool // somebody of ours had the conversation when they were said
	stop    bool // they ask for silence, or for its end
	dealt   bool // one of ours has dealt with them since
	called  bool // a rule leaves them to somebody of ours, unless dealt with
	at      time.Time
	unclear bool // they fell into the minutes in which the conversation may have come back to the bot
}

// token is the word in a text that no other text has.
func (d *darkWords) token() string { return d.text[strings.LastIndex(d.text, " ")+1:] }

// darkJudge decides who waits, by what the platform and the lists show.
type darkJudge struct {
	t        *testing.T
	w        *bottest.World
	f        *darkFolder
	people   []*bottest.Person
	words    []darkWords
	deeds    int
	rows     int
	tokens   int
	putOff   map[int]time.Time // until when somebody of ours has put a person off
	silenced map[int]bool
	owners   map[int]string
	refuses  map[*bottest.Person]bool // who takes no messages
	since    int64
	paused   bool // the account was, at some time
}

// asksNothing reports whether words are of the kind that a rule ignores, where there is one.
func (j *darkJudge) asksNothing(d *darkWords) bool {
	return d.stop || j.f.acts("thanks") && slices.Contains([]string{"thanks", "ok"}, d.text)
}

// look notes who has each conversation. What was handed over since the last look waits for a person of ours.
func (j *darkJudge) look() {
	for i, p := range j.people {
		owner := j.w.Conversation(p).Owner
		if owner == "front" && j.owners[i] != "front" {
			for n := range j.words {
				if d := &j.words[n]; d.who == i && (strings.Contains(d.text, "emergency") || strings.Contains(d.text, "bleeding")) && d.deed > j.deeds-2 {
					d.called = true
				}
			}
		}
		j.owners[i] = owner
	}
}

// owned reports whether somebody of ours has a conversation now, and whether that may end in these minutes.
func (j *darkJudge) owned(i int) (is, unclear bool) {
	if j.w.Bot() == nil {
		return j.owners[i] != "", j.owners[i] == "front" || j.owners[i] == "person"
	}
	s := j.w.Conversation(j.people[i])
	if s.Owner == "" || s.OwnerFor == 0 {
		return s.Owner != "", false
	}
	since := s.OwnerSince
	if s.OwnerWrote.After(since) {
		since = s.OwnerWrote
	}
	left := time.Until(since.Add(s.OwnerFor))
	return true, left < 15*time.Minute
}

// says notes what a person says.
func (j *darkJudge) says(i int, text string, public bool) *darkWords {
	owned, unclear := j.owned(i)
	if j.f.Merge == "0s" {
		j.rows++
	}
	j.words = append(j.words, darkWords{who: i, text: text, deed: j.deeds, row: j.rows, public: public, at: time.Now(), owned: owned, unclear: unclear})
	return &j.words[len(j.words)-1]
}

// deal notes that somebody of ours has dealt with all that a person has said.
func (j *darkJudge) deal(i int) {
	for n := range j.words {
		if j.words[n].who == i {
			j.words[n].dealt = true
		}
	}
}

// keeps notes that one of ours has decided about what is kept of a person, and nothing is said: it may have been about her last words.
func (j *darkJudge) keeps(p *bottest.Person) {
	for n := range j.words {
		if d := &j.words[n]; j.people[d.who] == p {
			d.unclear = true
		}
	}
}

// drops notes that an answer is refused by one of ours: she has dealt with what it was about.
func (j *darkJudge) drops(said string) {
	for _, row := range j.rowsIn(said) {
		for n := range j.words {
			d := &j.words[n]
			if d.row != row {
				continue
			}
			// What another rule calls about, or puts on a list, is not dealt with by that.
			if _, may := j.f.callers(d.text, d.at); may || j.f.lists(d.text) {
				d.unclear = true
			} else {
				d.dealt = true
			}
		}
	}
}

// rowsIn returns the rows that a text is about.
func (j *darkJudge) rowsIn(said string) (rows []int) {
	for n := range j.words {
		if d := &j.words[n]; strings.Contains(said, d.token()) && strings.HasPrefix(d.token(), "zz") {
			rows = append(rows, d.row)
		}
	}
	return rows
}

// waits returns who has to wait, by name, with why; of whom that cannot be said; and of whom any words, if not the last ones, are open.
func (j *darkJudge) waits() (those map[string]string, unclear, open map[string]bool) {
	answered, called, maybe := map[int]bool{}, map[int]bool{}, map[int]bool{}
	for _, e := range j.w.Platform().Ledger().Since(j.since) {
		if !e.ByAPI || e.Kind != emulator.Arrived && e.Kind != emulator.Published {
			continue
		}
		for n := range j.words { // of one that has no word of its own nobody can say which was answered
			if d := &j.words[n]; strings.Contains(e.Text, ">"+d.text+"<") {
				d.unclear = true
			}
		}
		for _, row := range j.rowsIn(e.Text) {
			answered[row] = true
			for name := range strings.SplitSeq(e.Text, ">") {
				name = name[strings.LastIndexAny(name, " \n<")+1:]
				called[row] = called[row] || name != "" && j.f.calls(name)
			}
		}
	}
	j.w.Inspect(func(d inspect.Inspector) {
		entries, err := d.Entries(context.Background(), "bot", "unanswered", "", 100)
		if err != nil {
			panic(err)
		}
		for i := range entries {
			for _, row := range j.rowsIn(entries[i].Text) {
				called[row], maybe[row] = called[row] || !j.f.asksToList(entries[i].Text), true
			}
			var same []*darkWords // that have no word of their own
			for n := range j.words {
				if d := &j.words[n]; d.text == entries[i].Text && j.people[d.who].ID() == entries[i].Peer {
					same = append(same, d)
				}
			}
			for _, d := range same {
				called[d.row], d.unclear = called[d.row] || len(same) == 1 && !j.f.asksToList(d.text), d.unclear || len(same) > 1
			}
		}
	})
	those, unclear, open = map[string]string{}, map[string]bool{}, map[string]bool{}
	for n := range j.words {
		if d := &j.words[n]; !d.public {
			surely, may := j.f.callers(d.text, d.at)
			called[d.row] = called[d.row] || surely && answered[d.row] && !j.paused
			maybe[d.row] = maybe[d.row] || may
		}
	}
	for i, p := range j.people {
		name := fmt.Sprint(p.ID())
		last, perhaps := "", false // whether a rule may leave to one of ours what others answer
		for n := range j.words {
			d := &j.words[n]
			if d.who != i {
				continue
			}
			unclear[name] = unclear[name] || d.unclear
			lasting := called[d.row] || d.called || d.owned && !j.asksNothing(d)
			perhaps = perhaps || maybe[d.row] && (d.text == "start" || !j.asksNothing(d))
			switch {
			case d.dealt:
				last, perhaps = "", false
				continue
			case lasting:
				those[name] += fmt.Sprintf(" lasting: %q", d.text)
			case answered[d.row]:
				last = ""
			case j.asksNothing(d):
			default:
				last, open[name] = d.text, true
			}
		}
		if last != "" {
			those[name] += fmt.Sprintf(" last: %q", last)
		}
		unclear[name] = unclear[name] || perhaps && those[name] == ""
	}
	return those, unclear, open
}

// compare compares who waits with what the bot keeps; "" when they are the same.
func (j *darkJudge) compare() string {
	if j.w.Bot() == nil {
		return ""
	}
	want, unclear, open := j.waits()
	have, held := map[string]string{}, map[string]bool{}
	due := 0
	j.w.Inspect(func(d inspect.Inspector) {
		for _, s := range []event.State{event.StateDue, event.StateSending, event.StateInDoubt} {
			waiting, err := d.Actions(context.Background(), record.ActionQuery{Account: "bot", State: s, Limit: 10})
			if err != nil {
				panic(err)
			}
			due += len(waiting)
		}
		those, counts, err := inspect.WhoWaits(context.Background(), d, 100, "bot")
		if err != nil || counts["bot"] != len(those) {
			panic(fmt.Sprint(counts, those, err))
		}
		for i := range those {
			peer := fmt.Sprint(those[i].Key.Peer)
			if those[i].Action != nil { // it waits for approval, whatever she was answered to later words
				held[peer] = true
				continue
			}
			have[peer] += " " + string(those[i].Why)
		}
	})
	if due > 0 {
		return ""
	}
	for i, p := range j.people {
		name := fmt.Sprint(p.ID())
		off := time.Now().Before(j.putOff[i])
		switch w, h := want[name], have[name]; {
		case unclear[name], off && h == "":
		// What she was to be told to these, nobody has approved, or her own STOP took it back: an answer to others is none.
		case open[name] && (strings.Contains(h, "state=expired") || strings.Contains(h, "state=dropped")):
		case w == "" && h != "":
			return fmt.Sprintf("person %d waits, and should not:%s", i, h)
		case w != "" && h == "" && !off && !held[name]:
			return fmt.Sprintf("person %d does not wait, and should:%s", i, w)
		}
	}
	return ""
}

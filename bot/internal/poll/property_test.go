package poll_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/poll"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
	"pgregory.net/rapid"
)

// act is one thing that happens to the poller or on the platform.
type act struct {
	Do    string
	Peer  platform.UserID
	Text  string
	N     int
	Pause time.Duration
	Fault fault
}

// acts is what happens in a history, the frequent things more than once.
var acts = []string{
	"say", "say", "say", "say", "poll", "poll", "poll", "poll", "answer", "answer", "phone", "see", "see",
	"burst", "like", "like", "burst of likes", "mention", "vanish", "erase", "hide", "hide note", "reveal",
	"fault", "fault", "refuse", "commit", "commit", "crash", "crash", "quick crash", "late crash", "late crash", "pause", "pause", "own",
}

func drawHabits(t *rapid.T) habits {
	flag := rapid.Bool()
	return habits{
		NewestFirst:  flag.Draw(t, "newest first"),
		IgnoresAfter: rapid.IntRange(0, 9).Draw(t, "ignores after") == 0,
		Inclusive:    rapid.IntRange(0, 4).Draw(t, "inclusive") == 0,
		Descending:   flag.Draw(t, "descending"),
		Cap:          rapid.SampledFrom([]int{0, 0, 0, 2, 3, 5, 20, 30}).Draw(t, "cap"),
		KeepsUnseen:  flag.Draw(t, "keeps unseen"),
		SendSees:     flag.Draw(t, "send sees"),
		NoCount:      rapid.IntRange(0, 4).Draw(t, "no count") == 0,
		Localised:    rapid.IntRange(0, 3).Draw(t, "localised") == 0,
		Unsorted:     rapid.IntRange(0, 4).Draw(t, "unsorted") == 0,
		Empty404:     rapid.IntRange(0, 4).Draw(t, "empty 404") == 0,
		Cut:          rapid.SampledFrom([]int{0, 0, 30}).Draw(t, "cut"),
	}
}

func drawActs(t *rapid.T) []act {
	one := rapid.Custom(func(t *rapid.T) act {
		return act{
			Do:    rapid.SampledFrom(acts).Draw(t, "do"),
			Peer:  platform.UserID(rapid.IntRange(50, 54).Draw(t, "peer")),
			Text:  rapid.SampledFrom([]string{"hi", "hi", "ok", "where?", "a text that is longer than lists show it"}).Draw(t, "text"),
			N:     rapid.SampledFrom([]int{1, 2, 3, 7, 25, 60, 300}).Draw(t, "n"),
			Pause: rapid.SampledFrom([]time.Duration{time.Second, 7 * time.Second, 40 * time.Second, 4 * time.Minute, 20 * time.Minute}).Draw(t, "pause"),
			Fault: fault(rapid.IntRange(0, int(faultKinds)-1).Draw(t, "fault")),
		}
	})
	return rapid.SliceOfN(one, 1, 60).Draw(t, "acts")
}

// history plays acts on a model with a poller, and gathers what went wrong.
type history struct {
	model    *model
	memory   *memory
	client   *platform.Client
	poller   *poll.Poller
	problems []string
	texts    int
	started  int64 // the newest message at the first start

	// Of the poller's current incarnation.
	told map[event.ID]bool
	last map[platform.UserID]int64
}

func newHistory(client *platform.Client, w *model) *history {
	y := &history{model: w, memory: newMemory(), client: client}
	y.memory.check = y.check
	return y
}

func (y *history) failf(format string, args ...any) {
	y.problems = append(y.problems, fmt.Sprintf(format, args...))
}

// start begins an incarnation of the poller.
func (y *history) start() {
	y.told, y.last = map[event.ID]bool{}, map[platform.UserID]int64{}
	p, err := poll.New(poll.Config{
		Account: "shop",
		Me:      func(context.Context) (platform.UserID, error) { return me, nil },
		Client:  y.client, Cursors: y.memory, Sink: y.memory, Delivered: y.memory.restore(),
		Slots:    newSlots(3),
		MaxPages: 4,
	})
	if err != nil {
		y.failf("new: %v", err)
	}
	y.poller = p
}

// poll waits until the poller is due, and runs a cycle.
func (y *history) poll(ctx context.Context) (event.PollResult, error) {
	time.Sleep(time.Until(y.poller.Next(time.Now())))
	result, err := y.poller.Poll(ctx)
	return result, err
}

// check is told what the sink accepts.
func (y *history) check(b poll.Batch) {
	last := int64(0)
	inBatch := map[event.ID]bool{}
	for _, e := range b.Events {
		if e.ID.Number <= last {
			y.failf("events of one batch are out of order: %v after %d", e.ID, last)
		}
		last = e.ID.Number
		inBatch[e.ID] = true
		y.checkOrder(e)
	}
	if b.Cursor.Source != event.Messages {
		return
	}
	y.model.mu.Lock()
	defer y.model.mu.Unlock()
	if b.Cursor.Peer == 0 {
		if y.watermark(poll.Batch{}) == 0 {
			y.started = y.model.lastID
		}
		return
	}
	for _, m := range y.model.talks[b.Cursor.Peer].visible() {
		id := event.ID{Source: event.Messages, Number: m.id}
		if m.own || m.late || m.id > b.Cursor.ID || m.id <= y.watermark(b) || inBatch[id] || y.memory.has(id) {
			continue
		}
		y.failf("the cursor of %d passed message %d on the way to %d", b.Cursor.Peer, m.id, b.Cursor.ID)
	}
}

// watermark returns the account's watermark, stored or not.
func (y *history) watermark(now poll.Batch) int64 {
	at := place{event.Messages, 0}
	for _, b := range append(y.memory.accepted, now) {
		if b.Cursor.Source == at.source && b.Cursor.Peer == 0 {
			return b.Cursor.ID
		}
	}
	return y.memory.cursors[at].ID
}

// checkOrder looks at an event that is new in this incarnation of the poller.
func (y *history) checkOrder(e event.Event) {
	if y.told[e.ID] {
		return
	}
	y.told[e.ID] = true
	if e.ID.Source != event.Messages {
		return
	}
	m := y.model.message(e.Peer, e.ID.Number)
	switch {
	case m == nil:
		y.failf("%v was never written by %d", e.ID, e.Peer)
	case m.own:
		y.failf("%v is an own message", e.ID)
	case m.text != e.Text:
		y.failf("%v has text %q, not %q", e.ID, e.Text, m.text)
	case m.late:
	case e.ID.Number < y.last[e.Peer]:
		y.failf("%v came after %d", e.ID, y.last[e.Peer])
	default:
		y.last[e.Peer] = e.ID.Number
	}
}

func (w *model) message(peer platform.UserID, id int64) *message {
	w.mu.Lock()
	defer w.mu.Unlock()
	if t := w.talks[peer]; t != nil {
		for _, m := range t.messages {
			if m.id == id {
				return m
			}
		}
	}
	return nil
}

// text returns what is said. Where times cannot be read, the same words said again look like the
// ones before, so nobody says anything twice.
func (y *history) text(a act) string {
	y.texts++
	if y.model.habits.Localised {
		return fmt.Sprintf("%d %s", y.texts, a.Text) // lists may cut the end
	}
	return a.Text
}

// crash ends an incarnation of the poller and begins the next one, which reads sixteen rows again.
func (y *history) crash() {
	y.model.excuse(func(a appearance, at time.Time, since int) bool {
		return a.late && (time.Since(at) > time.Minute || since > 15)
	})
	y.memory.crash()
	y.start()
}

func (y *history) play(ctx context.Context, a act) {
	w := y.model
	switch a.Do {
	case "say":
		w.say(a.Peer, y.text(a))
	case "burst":
		for range a.N {
			w.say(a.Peer, y.text(a))
		}
	case "answer":
		text := y.text(a)
		m := w.write(a.Peer, text, true, false)
		y.poller.NoteSent(a.Peer, platform.MessageID(m.id), text)
	case "phone":
		w.write(a.Peer, y.text(a), true, false)
	case "see":
		w.see(a.Peer)
	case "erase":
		w.erase(a.Peer, a.N)
	case "hide":
		w.write(a.Peer, y.text(a), false, true)
	case "hide note":
		w.notify("notifs", a.Peer, platform.SubjectLike, true)
	case "reveal":
		w.reveal()
	case "like":
		w.notify("notifs", a.Peer, platform.SubjectLike, false)
	case "own":
		w.notify("notifs", me, platform.SubjectLike, false)
	case "burst of likes":
		for range a.N * 5 / 3 {
			w.notify("notifs", a.Peer, platform.SubjectLike, false)
		}
	case "mention":
		w.notify("mentions", a.Peer, platform.SubjectMention, false)
	case "vanish":
		w.vanish(a.N)
	case "fault":
		for range min(a.N, 30) {
			w.disturb(a.Fault)
		}
	case "refuse":
		y.memory.fail(min(a.N, 10))
	case "commit":
		y.memory.commit()
	case "crash":
		w.reveal()
		y.crash()
	case "quick crash":
		y.crash()
	case "late crash":
		w.write(a.Peer, y.text(a), false, true)
		w.notify("notifs", a.Peer, platform.SubjectLike, true)
		w.say(a.Peer, y.text(a))
		w.notify("notifs", a.Peer, platform.SubjectLike, false)
		_, _ = y.poll(ctx)
		y.memory.commit()
		y.crash()
	case "pause":
		w.reveal()
		time.Sleep(a.Pause)
	case "poll":
		_, _ = y.poll(ctx)
		w.excuse(func(a appearance, _ time.Time, since int) bool { return a.hidden && since > 31 }) // see tail
		w.reveal()                                                                                  // no transaction is open for long
	}
	time.Sleep(100 * time.Millisecond)
}

// rest lets the poller run undisturbed for longer than any chat is swept.
func (y *history) rest(ctx context.Context) {
	w := y.model
	w.reveal()
	w.mu.Lock()
	w.faults = nil
	w.mu.Unlock()
	y.memory.mu.Lock()
	y.memory.refuse = 0
	y.memory.mu.Unlock()
	cycles := 0
	for end := time.Now().Add(25 * time.Minute); time.Now().Before(end); cycles++ {
		_, _ = y.poll(ctx)
		y.memory.commit()
		if cycles == 20_000 {
			y.failf("it does not come to rest")
			return
		}
	}
	if _, err := y.poll(ctx); err != nil {
		y.failf("poll: %v", err)
	}
	y.memory.commit()
}

// complete checks that nothing was missed.
func (y *history) complete() {
	w, m := y.model, y.memory
	watermark := m.cursors[place{event.Messages, 0}].ID
	begin := watermark
	if w.habits.Unsorted {
		begin = y.started // the newest message is not in the first chats
	}
	for peer, t := range w.talks {
		for _, said := range t.visible() {
			if said.own || said.excused || said.id <= begin {
				continue
			}
			if _, ok := m.events[event.ID{Source: event.Messages, Number: said.id}]; !ok {
				y.failf("message %d of %d (%q, late: %v) was missed; the cursor is %+v",
					said.id, peer, said.text, said.late, m.cursors[place{event.Messages, peer}])
			}
		}
	}
	for list, source := range map[string]event.Source{"notifs": event.Notifs, "mentions": event.Mentions} {
		first := m.first[place{source, 0}]
		for _, n := range w.notes[list] {
			_, ok := m.events[event.ID{Source: source, Number: n.id}]
			switch wanted := !n.gone && !n.excused && n.from != me && n.id > first; {
			case wanted && !ok:
				y.failf("%s %d was missed; the cursor is %+v", list, n.id, m.cursors[place{source, 0}])
			case ok && n.from == me:
				y.failf("%s %d is an own one", list, n.id)
			case ok && n.id <= first:
				y.failf("%s %d is older than the first start", list, n.id)
			}
		}
	}
	for id := range m.events {
		if id.Source == event.Messages && id.Number <= watermark {
			y.failf("%v is older than the first start", id)
		}
	}
}

func TestNothingIsMissed(t *testing.T) {
	rapid.Check(t, func(draw *rapid.T) {
		h, list := drawHabits(draw), drawActs(draw)
		if problems := live(t, h, list); len(problems) > 0 {
			draw.Fatalf("%+v\n%s", h, strings.Join(problems[:min(5, len(problems))], "\n"))
		}
	})
}

// live plays a history in a bubble of its own.
func live(t *testing.T, h habits, list []act) (problems []string) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		ctx := t.Context()
		w := newModel(h)
		pipe := emulator.NewPipe(w)
		defer func() { _ = pipe.Close() }()
		client, err := platform.New(platform.Config{BaseURL: pipe.BaseURL(), Transport: pipe.Transport()})
		if err != nil {
			problems = append(problems, err.Error())
			return
		}
		y := newHistory(client.WithSession(open{}), w)
		for peer := range platform.UserID(3) {
			w.say(50+peer, "before the first start")
		}
		time.Sleep(time.Second)
		y.start()
		for _, a := range list {
			y.play(ctx, a)
		}
		y.rest(ctx)
		y.complete()
		problems = y.problems
	})
	return problems
}

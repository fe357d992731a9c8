package poll_test

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
	"pgregory.net/rapid"
)

// oddActs is what happens in a history with absurd ids.
var oddActs = []string{
	"say", "say", "like", "like", "mention", "poll", "poll", "poll", "poll", "answer", "commit", "commit", "crash", "pause",
	"odd say", "odd like", "odd mention", "odd last", "renumber", "renumber", "drop", "grow", "poison",
}

// oddity is an act with an absurd id.
type oddity struct {
	act
	ID int64
}

func drawOddities(t *rapid.T) []oddity {
	one := rapid.Custom(func(t *rapid.T) oddity {
		return oddity{
			act: act{
				Do:    rapid.SampledFrom(oddActs).Draw(t, "do"),
				Peer:  platform.UserID(rapid.IntRange(50, 53).Draw(t, "peer")),
				Pause: rapid.SampledFrom([]time.Duration{time.Second, 7 * time.Second, 40 * time.Second, 4 * time.Minute}).Draw(t, "pause"),
			},
			ID: rapid.SampledFrom([]int64{math.MaxInt64, math.MaxInt64, math.MaxInt64 - 3, 1 << 62, math.MaxInt32, 1 << 50}).Draw(t, "id"),
		}
	})
	return rapid.SliceOfN(one, 1, 50).Draw(t, "acts")
}

// oddHistory is a history with absurd ids. Everybody says something new each time, and likes something new, so that
// what was delivered can be told from its content.
type oddHistory struct {
	*history
	odd     int            // rows that show an absurd id at the moment
	strange map[int64]bool // absurd ids, as they were shown
}

// misnumber lets a row show an absurd id, unless others do: one row at a time is what is promised.
func (y *oddHistory) misnumber(a *appearance, id int64) {
	if y.odd < 2 && !y.strange[id] {
		a.as, y.strange[id] = id, true
		y.odd++
	}
}

func (y *oddHistory) play(ctx context.Context, o oddity) {
	w := y.model
	switch o.Do {
	case "odd say":
		m := w.say(o.Peer, y.unique())
		w.set(func(*model) { y.misnumber(&m.appearance, o.ID) })
	case "odd like", "odd mention":
		list, subject := "notifs", platform.SubjectLike
		if o.Do == "odd mention" {
			list, subject = "mentions", platform.SubjectMention
		}
		n := w.notify(list, o.Peer, subject, false)
		w.set(func(*model) { y.misnumber(&n.appearance, o.ID) })
	case "odd last":
		w.set(func(w *model) {
			if t := w.talks[o.Peer]; t != nil && len(t.visible()) > 0 && !t.visible()[len(t.visible())-1].own {
				y.misnumber(&t.visible()[len(t.visible())-1].appearance, o.ID)
			}
		})
	case "renumber", "drop":
		w.set(func(w *model) { y.restore(w, o.Do == "drop") })
	case "grow":
		w.set(func(w *model) { w.lastID += 3 << 20 })
	case "poison":
		y.poison(o.ID)
		y.crash()
	case "say":
		w.say(o.Peer, y.unique())
	default:
		y.history.play(ctx, o.act)
		return
	}
	time.Sleep(100 * time.Millisecond)
}

// unique returns words that nobody has said.
func (y *oddHistory) unique() string {
	y.texts++
	return fmt.Sprint("text ", y.texts)
}

// restore lets every row show its own id again, or vanish.
func (y *oddHistory) restore(w *model, vanish bool) {
	y.odd = 0
	each := func(a *appearance) {
		if a.as != 0 {
			a.as, a.gone, a.excused = 0, a.gone || vanish, a.excused || vanish
		}
	}
	for _, t := range w.talks {
		for _, m := range t.messages {
			each(&m.appearance)
		}
	}
	for _, list := range w.notes {
		for _, n := range list {
			each(&n.appearance)
		}
	}
}

// poison puts all stored cursors at an absurd id, as a version did that believed every id.
func (y *oddHistory) poison(id int64) {
	y.memory.commit()
	y.memory.mu.Lock()
	defer y.memory.mu.Unlock()
	for at, c := range y.memory.cursors {
		if at.peer != 0 || at.source != event.Messages {
			c.ID = id
			y.memory.cursors[at] = c
		}
	}
}

// end lets everything be as it should for a while. Then everybody acts once more.
func (y *oddHistory) end(ctx context.Context) {
	w := y.model
	w.set(func(w *model) { y.restore(w, false) })
	y.rest(ctx)
	for peer := range platform.UserID(4) {
		w.say(50+peer, y.unique())
		w.notify("notifs", 50+peer, platform.SubjectLike, false)
		w.notify("mentions", 50+peer, platform.SubjectMention, false)
	}
	for end := time.Now().Add(time.Minute); time.Now().Before(end); {
		_, _ = y.poll(ctx)
		y.memory.commit()
	}
}

// check looks at what was delivered in the end.
func (y *oddHistory) check() {
	y.memory.mu.Lock()
	defer y.memory.mu.Unlock()
	said := map[string]int{}
	for _, e := range y.memory.events {
		if e.Kind == event.KindMessage {
			said[e.Text]++
		}
	}
	watermark := y.memory.cursors[place{event.Messages, 0}].ID
	for peer, t := range y.model.talks {
		for _, m := range t.messages {
			n := said[m.text]
			if m.own || m.id <= watermark {
				continue
			}
			if n > 1 || n == 0 && !m.excused && !m.gone {
				y.failf("message %d of %d (%q) was delivered %d times; the cursor is %+v", m.id, peer, m.text, n, y.memory.cursors[place{event.Messages, peer}])
			}
		}
	}
	for list, source := range map[string]event.Source{"notifs": event.Notifs, "mentions": event.Mentions} {
		told := map[string]int{}
		for _, e := range y.memory.events {
			if e.ID.Source == source && e.Kind != event.KindSame {
				told[fmt.Sprint(e.Peer, e.Post)]++
			}
		}
		first := y.memory.first[place{source, 0}]
		for _, n := range y.model.notes[list] {
			times := told[fmt.Sprint(n.from, n.id)]
			if n.id > first && (times > 1 || times == 0 && !n.excused && !n.gone) {
				y.failf("%s %d was delivered %d times; the cursor is %+v", list, n.id, times, y.memory.cursors[place{source, 0}])
			}
		}
	}
	for at, c := range y.memory.cursors {
		if c.ID > y.model.lastID {
			y.failf("the cursor of %v %d stands at %d, above all", at.source, at.peer, c.ID)
		}
	}
}

// Whatever ids rows show for a while, and whatever cursors an earlier version has left: what people do is delivered, each
// once, and what they do in the end is delivered at once, with cursors that no absurd id has moved.
func TestAbsurdIDsMoveNoCursor(t *testing.T) {
	rapid.Check(t, func(draw *rapid.T) {
		h, list := drawHabits(draw), drawOddities(draw)
		h.IgnoresAfter, h.Unsorted, h.Localised, h.Cut = false, false, false, 0
		h.Inclusive = h.Inclusive && (h.Cap == 0 || h.Cap >= 10) // otherwise a sweep alone finds what comes in the end
		if problems := liveOddly(t, h, list); len(problems) > 0 {
			draw.Fatalf("%+v\n%s", h, strings.Join(problems[:min(5, len(problems))], "\n"))
		}
	})
}

func liveOddly(t *testing.T, h habits, list []oddity) (problems []string) {
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
		y := &oddHistory{history: &history{model: w, memory: newMemory(), client: client.WithSession(open{})}, strange: map[int64]bool{}}
		for peer := range platform.UserID(3) {
			w.say(50+peer, "before the first start")
			w.notify("notifs", 50+peer, platform.SubjectLike, false) // what nothing is known of, nothing is absurd beside
			w.notify("mentions", 50+peer, platform.SubjectMention, false)
		}
		time.Sleep(time.Second)
		y.start()
		_, _ = y.poll(ctx)
		y.memory.commit()
		for _, o := range list {
			y.play(ctx, o)
		}
		y.end(ctx)
		y.check()
		problems = y.problems
	})
	return problems
}

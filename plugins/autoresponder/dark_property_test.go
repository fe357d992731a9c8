package autoresponder_test

import (
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/plugins/autoresponder"
	"pgregory.net/rapid"
)

// darkDeed is what happens next in a night.
type darkDeed struct {
	Gap   time.Duration // that passes before it
	Who   int
	Does  string
	Words []string
}

// darkDeeds are the things that happen: what people do, most of all.
var darkDeeds = []string{
	"says", "says", "says", "says", "says", "says", "mentions", "thanks", "stop", "start", "ours", "ours, then she", "she, then ours", "done", "later", "ack", "take over", "give back",
	"approve", "refuse", "pause", "go on", "pause price", "go on price", "crash", "down", "up", "refuses messages", "takes messages", "forget",
}

var darkWordsSaid = []string{"price", "box", "lead", "offer", "weddings", "lovely", "toldalone", "emergency", "bleeding", "quote", "80", "hm", "price hm", "box offer"}

func drawDarkDeeds(rt *rapid.T) []darkDeed {
	return rapid.SliceOfN(rapid.Custom(func(rt *rapid.T) darkDeed {
		return darkDeed{
			Gap:   time.Duration(rapid.SampledFrom([]int{12, 25, 12, 45, 12, 90}).Draw(rt, "gap")) * time.Minute,
			Who:   rapid.IntRange(0, 1).Draw(rt, "who"),
			Does:  rapid.SampledFrom(darkDeeds).Draw(rt, "does"),
			Words: rapid.SliceOfN(rapid.SampledFrom(darkWordsSaid), 1, 3).Draw(rt, "words"),
		}
	}), 2, 9).Draw(rt, "deeds")
}

// Over random folders, people, hours and days: whoever's words nobody has dealt with – no answer to them, none of ours, no rule that ignores them, no wish
// for silence – waits for a person of ours; so does whom a rule leaves to one; and nobody else does. Ten thousand nights, in about twenty minutes:
//
//	go test ./plugins/autoresponder -run TestNobodyIsInTheDark -rapid.checks=5000 -rapid.seed=0 -timeout 1h
func TestNobodyIsInTheDark(t *testing.T) {
	t.Parallel()
	const beside = 2 // of which each draws other nights
	for n := range beside {
		t.Run(fmt.Sprint("half ", n), func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(rt *rapid.T) {
				for range n {
					rapid.Uint64().Draw(rt, "of another half")
				}
				f := drawDarkFolder(rt)
				start := tuesday.Add(time.Duration(rapid.IntRange(0, 7*24).Draw(rt, "hour")) * time.Hour)
				ceiling := rapid.SampledFrom([]int{0, 0, 3}).Draw(rt, "ceiling")
				deeds := drawDarkDeeds(rt)
				if wrong := playDark(t, &f, start, ceiling, deeds); wrong != "" {
					rt.Fatalf("%s\n%s%s", wrong, f.settings(), f.file())
				}
			})
		})
	}
}

// playDark plays a night, and returns what is not as it should be.
func playDark(t *testing.T, f *darkFolder, start time.Time, ceiling int, deeds []darkDeed) (wrong string) {
	t.Helper()
	dir := folderOf(t, "10-a.yaml", f.file(), "settings.yaml", f.settings())
	bottest.Run(t, bottest.Config{
		Start: start,
		Bot:   bot.Config{PollInterval: 90 * time.Second, RequestPause: 30 * time.Second, Pace: &event.Pace{}, Ceiling: bot.Ceiling{Max: ceiling, Within: time.Hour}},
		Plugins: func(st bot.Store, log *slog.Logger) ([]bottest.Plugin, error) {
			p, err := autoresponder.New(autoresponder.Config{Path: dir, Look: 3 * time.Minute, Log: log, WebhookHosts: []string{"a.example", "b.example"}, Transport: &phone{}}, st)
			return []bottest.Plugin{p}, err
		},
	}, func(w *bottest.World) {
		j := &darkJudge{
			t: t, w: w, f: f, people: []*bottest.Person{w.Person("ana"), w.Person("leo")}, putOff: map[int]time.Time{}, silenced: map[int]bool{}, owners: map[int]string{}, refuses: map[*bottest.Person]bool{},
			since: w.Platform().Ledger().Len(),
		}
		var done []string
		for i := 0; i <= len(deeds) && wrong == ""; i++ {
			if i == len(deeds) && w.Bot() == nil {
				w.Start()
			}
			gap := 30 * time.Minute
			if i < len(deeds) {
				gap = deeds[i].Gap
			}
			w.Advance(gap)
			if w.Bot() != nil {
				j.look()
				wrong = j.compare()
			}
			if i < len(deeds) && wrong == "" {
				done = append(done, fmt.Sprintf("%s %+v", time.Now().UTC().Format("Mon 15:04"), deeds[i]))
				j.does(&deeds[i])
			}
		}
		if wrong != "" {
			wrong += "\n" + strings.Join(done, "\n") + "\n" + w.Transcript()
			for i, p := range j.people {
				for _, d := range w.Decisions(p) {
					wrong += fmt.Sprintln(i, d)
				}
			}
		}
	})
	return wrong
}

// fresh returns a text with a token of its own.
func (j *darkJudge) fresh(text string) string {
	j.tokens++
	return fmt.Sprintf("%s zz%c%c", text, 'a'+rune(j.tokens/26), 'a'+rune(j.tokens%26))
}

// does lets one thing happen.
func (j *darkJudge) does(d *darkDeed) {
	j.deeds++
	j.rows++
	p, w := j.people[d.Who], j.w
	ours := func() { w.Account("bot").Tells(p, "This is Sam."); j.deal(d.Who) }
	ask := func(q event.Request) {
		q.Key, q.Owner, q.By = event.Key{Account: "bot", Peer: p.ID()}, "ines", "ines"
		w.Ask(q)
	}
	saysRow := func() {
		for _, text := range d.Words {
			text = j.fresh(text)
			p.Says(text)
			j.says(d.Who, text, false)
		}
	}
	if d.Does == "up" && w.Bot() == nil {
		w.Start()
		return
	}
	if down := w.Bot() == nil; down && d.Does != "says" && d.Does != "ours" { // whoever is down hears of nothing else
		return
	}
	if j.refuses[p] && strings.Contains(d.Does, "ours") { // nor can we write to her
		return
	}
	switch d.Does {
	case "says":
		saysRow()
	case "mentions":
		text := j.fresh(d.Words[0])
		p.Mentions(text)
		j.says(d.Who, text, true)
	case "thanks":
		p.Says("thanks")
		j.says(d.Who, "thanks", false)
	case "stop":
		p.Says("stop")
		j.says(d.Who, "stop", false).stop = true
		j.silenced[d.Who] = true
	case "start":
		if j.silenced[d.Who] {
			p.Says("start")
			j.says(d.Who, "start", false).stop = true
			j.silenced[d.Who] = false
		}
	case "ours":
		ours()
	case "ours, then she":
		ours()
		saysRow()
		for n := range j.words {
			if x := &j.words[n]; x.deed == j.deeds {
				x.owned = true
			}
		}
	case "she, then ours":
		saysRow()
		ours()
	case "done":
		ask(event.Request{Wish: event.WishDone})
		j.deal(d.Who)
		if len(held(j.t, w)) > 0 { // which goes on to wait for an approval, and for a person when that does not come
			j.keeps(p)
		}
	case "later":
		ask(event.Request{Wish: event.WishLater, Until: time.Now().Add(time.Hour)})
		j.putOff[d.Who] = time.Now().Add(time.Hour)
	case "ack":
		ask(event.Request{Wish: event.WishAck})
	case "take over":
		ask(event.Request{Wish: event.WishTakeOver})
	case "give back":
		ask(event.Request{Wish: event.WishGiveBack})
	case "forget":
		if !j.silenced[d.Who] {
			ask(event.Request{Wish: event.WishForget})
			j.deal(d.Who)
		}
	default:
		j.befalls(d.Does, p)
	}
}

// befalls lets something happen that is nobody's word.
func (j *darkJudge) befalls(what string, p *bottest.Person) {
	w := j.w
	own := func(wish event.Wish, rule string) {
		w.Ask(event.Request{Key: event.Key{Account: "bot"}, Wish: wish, Action: rule, By: "ines"})
	}
	switch what {
	case "approve", "refuse":
		wish := map[string]event.Wish{"approve": event.WishRelease, "refuse": event.WishDrop}[what]
		held := held(j.t, w)
		for i := range held {
			w.Ask(event.Request{Key: held[i].Conversation(), Wish: wish, Action: held[i].Key, By: "ines"})
			switch {
			case !held[i].Verb.Makes():
				j.keeps(j.people[slices.IndexFunc(j.people, func(p *bottest.Person) bool { return p.ID() == held[i].Peer })])
			case wish == event.WishDrop:
				j.drops(held[i].Text)
			}
		}
	case "pause":
		own(event.WishPause, "")
		j.paused = true
	case "go on":
		own(event.WishGoOn, "")
	case "pause price":
		own(event.WishPause, "price")
	case "go on price":
		own(event.WishGoOn, "price")
	case "crash":
		w.Crash()
	case "down":
		w.Stop()
	case "refuses messages":
		w.Platform().SetPrivacy(p.ID(), false, true)
		j.refuses[p] = true
	case "takes messages":
		w.Platform().SetPrivacy(p.ID(), false, false)
		j.refuses[p] = false
	}
}

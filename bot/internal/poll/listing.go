package poll

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net/http"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform"
)

// listing is a chat list, and when it was read. It is not held as it arrived: there is a glance for each row, of 32
// bytes, and a brief for those that may be news.
type listing struct {
	glances []glance
	briefs  []brief
	named   []int  // rows of chats whose name is not known
	first   string // the age of the first row, as shown

	began, ended time.Time
	top          platform.MessageID // of the account's own messages that it has to show
	cut          *platform.Cut      // not nil: what lies behind the last row is not known
}

// glance is what is taken of every row.
type glance struct {
	peer    platform.UserID
	digest  uint64
	seconds uint32 // the age plus one; 0 where it cannot be read
	was     int32  // where the row stood in the last list, -1 for nowhere
	brief   int32  // counted from 1; 0: there is none
	unread  uint16
	unit    uint8 // of the age, one of ageUnits
}

// shownAge returns the age that the row shows, and its unit. It is false where the age cannot be read.
func (g *glance) shownAge() (age, unit time.Duration, ok bool) {
	if g.seconds == 0 {
		return 0, 0, false
	}
	return time.Duration(g.seconds-1) * time.Second, ageUnits[g.unit].unit, true
}

// earliestTime returns when what the row shows was said at the earliest, in a list that began at a time; zero where it does not tell.
func (g *glance) earliestTime(began time.Time) time.Time {
	age, unit, ok := g.shownAge()
	if !ok {
		return time.Time{}
	}
	return began.Add(-age - max(unit, time.Minute))
}

// brief is what is taken of a row that may be news.
type brief struct {
	name, user string
	last       string // the text; where messages are read, only if it may be one that the account sent
	came       string // the same as it came, with markup: what is stored of a row goes by it, as in earlier versions
	text       uint32 // hash of it
}

// len returns the number of rows.
func (l *listing) len() int { return len(l.glances) }

// shownPeers returns whose chats a list shows that was cut; nil if it was not.
func (l *listing) shownPeers() map[platform.UserID]struct{} {
	if l.cut == nil {
		return nil
	}
	peers := make(map[platform.UserID]struct{}, l.len())
	for i := range l.glances {
		peers[l.glances[i].peer] = struct{}{}
	}
	return peers
}

// briefOf returns what is known of row i beyond a glance; nil if nothing is.
func (l *listing) briefOf(i int) *brief {
	if n := l.glances[i].brief; n > 0 {
		return &l.briefs[n-1]
	}
	return nil
}

const (
	briefsAtFirst = 4096 // of the newest rows, in the first list of an incarnation
	briefsPassed  = 4096 // of rows that stand elsewhere than before
)

// readChatList reads the chat list.
func (in *inbox) readChatList(ctx context.Context, c *cycle) (*listing, error) {
	seen := &listing{top: c.sends.highestID(), began: time.Now()}
	l := in.newLooker(c, seen)
	list, err := call(ctx, c, func(ctx context.Context) (platform.ChatList, error) {
		return c.cfg.Client.ChatRows(ctx, func(i int, row *platform.ChatRow) {
			if ctx.Err() == nil { // nobody waits for them any more
				l.lookAtRow(i, row)
			}
		})
	})
	if refused := (*platform.Refused)(nil); errors.As(err, &refused) && refused.Code == http.StatusNotFound {
		err = nil // some deployments say so when a list is empty
	}
	// The rows that arrived of a list that was cut are as good as any; only of the others nothing is known.
	if err != nil && !errors.As(err, &seen.cut) { //mutate:list-cut
		return seen, fmt.Errorf("read the chat list: %w", err)
	}
	if seen.len() < list.Rows { // the poll was ended while they arrived, and nobody looked at the others
		return seen, fmt.Errorf("read the chat list: %w", cmp.Or(context.Cause(ctx), context.Canceled))
	}
	in.lists++
	seen.glances, seen.ended = seen.glances[:list.Rows], time.Now()
	in.measureCut(ctx, c, list, seen.cut)
	if seen.len() == 0 {
		in.hearing.noteNewestRow(0, "")
	} else {
		in.hearing.noteNewestRow(seen.glances[0].digest, seen.first)
	}
	return seen, nil
}

// looker looks at rows while they arrive: it compares them with what is remembered, and takes a brief of each that
// may be news, or that is to be known by its name.
type looker struct {
	in   *inbox
	seen *listing
	find finder
	ages ages

	sends *sends

	// What the source of messages wants to look at beside what moved.
	seeing   seeing
	nameless map[platform.UserID]struct{} // chats whose name is not known
	own      map[platform.UserID][]send   // what the account sent lately, where lists are all there is
	texts    bool                         // all texts, and every row of the first list: see own

	low    int32  // the first remembered row that has not come yet
	came   []bool // remembered rows that have come, once one came before low
	passed int    // rows that may have overtaken others
	proofs int    // rows that nothing proves, and nothing else makes news
}

func (in *inbox) newLooker(c *cycle, seen *listing) *looker {
	l := &looker{in: in, seen: seen, find: finder{rows: in.rows}, sends: c.sends}
	in.messages.get().prepare(l)
	seen.glances = make([]glance, 0, len(in.rows)+len(in.rows)/64+16)
	return l
}

// lookAtRow looks at the next row.
func (l *looker) lookAtRow(i int, r *platform.ChatRow) {
	if i == 0 {
		// The call may be made again after an error in the middle, and its rows begin anew.
		l.seen.glances, l.seen.briefs, l.seen.named = l.seen.glances[:0], nil, nil
		l.seen.first = r.Time()
		l.find, l.low, l.came, l.passed, l.proofs = finder{rows: l.in.rows}, 0, nil, 0, 0
	}
	l.seen.glances = append(l.seen.glances, glance{peer: r.Peer, digest: r.Digest, unread: uint16(min(max(r.Unread, 0), math.MaxUint16)), was: l.find.rowOf(r.Peer)})
	g := &l.seen.glances[i]
	l.ages.read(g, r)
	if l.out(g.was) || l.isNews(i, g) {
		g.brief = l.takeBrief(r)
	}
}

// takeBrief takes a brief.
func (l *looker) takeBrief(r *platform.ChatRow) int32 {
	chat := r.Decode()
	came := cmp.Or(chat.Marked, chat.Last)
	b := brief{name: chat.Name, user: chat.Username, text: textHash(came)}
	if l.texts || l.sends.has(r.Peer) {
		b.last, b.came = chat.Last, came
	}
	l.seen.briefs = append(l.seen.briefs, b)
	return int32(len(l.seen.briefs))
}

// isNews reports whether a row may be news. It is so for each row that hints finds, but for those that overtook others:
// see out.
func (l *looker) isNews(i int, g *glance) bool {
	in := l.in
	if _, unknown := l.nameless[g.peer]; unknown {
		l.seen.named = append(l.seen.named, i)
		return true
	}
	// What the bot has said there has to be told from what the other person says, also when the row shows something else.
	if _, sent := l.own[g.peer]; sent {
		return true
	}
	if !in.listed {
		return l.texts || i < briefsAtFirst || g.unread > 0
	}
	if g.was < 0 {
		return true
	}
	r := in.rows[g.was]
	switch {
	case r.digest != g.digest, r.state&rowNew != 0, r.unread > 0 && r.state&rowRead != 0 && l.seeing != keepsUnseen,
		r.takeAge(g, l.seen.began, l.seen.began):
		return true
	case r.state&rowUnproved != 0:
		// A row of which nobody knows whether it moved while no bot ran. Some with each list: all at once would be a read of every chat at each start.
		l.proofs++
		return l.proofs <= sweepsAtOnce
	default:
		return false
	}
}

// out reports whether a row may have overtaken another one: it comes before one that stood above it. Of many such
// rows, only some are looked at: they are known by their names later.
func (l *looker) out(was int32) bool {
	if was == l.low && l.came == nil {
		l.low++
		return false
	}
	if was < 0 {
		return false
	}
	if l.came == nil {
		l.came = make([]bool, len(l.in.rows))
	}
	l.came[was] = true
	out := was > l.low
	for int(l.low) < len(l.came) && l.came[l.low] {
		l.low++
	}
	if out {
		l.passed++
	}
	return out && l.passed <= briefsPassed
}

// ages reads the ages of rows. Most are like those of rows before.
type ages [64]struct {
	raw     [26]byte
	length  uint8
	unit    uint8
	seconds uint32
}

// read reads the age that a row shows.
func (a *ages) read(g *glance, r *platform.ChatRow) {
	raw := r.RawTime()
	n := len(raw)
	if n < 3 || n > len(a[0].raw) {
		g.seconds, g.unit = readAge(r.Time())
		return
	}
	e := &a[(raw[1]+raw[2]*7+byte(n)*13)%64]
	if int(e.length) != n || !bytes.Equal(e.raw[:n], raw) {
		e.length = uint8(copy(e.raw[:], raw))
		e.seconds, e.unit = readAge(r.Time())
	}
	g.seconds, g.unit = e.seconds, e.unit
}

// readAge returns an age in seconds, plus one, and which of ageUnits it is counted in; 0 where it cannot be read.
func readAge(shown string) (seconds uint32, unit uint8) {
	age, per, ok := parseAge(shown)
	if !ok {
		return 0, 0
	}
	for i := range ageUnits {
		if ageUnits[i].unit == per {
			unit = uint8(i)
		}
	}
	return uint32(age/time.Second) + 1, unit
}

// cutsToReport is how many lists in a row are cut by the deadline or by a fault before the log hears of it, and how many
// whole ones before it hears that this is over. The limit cuts the next one as well: that is told at once.
const cutsToReport = 3

// cuts watches whether the chat list arrives whole.
type cuts struct {
	row  int8 // lists in a row that were cut; below 0, that were whole
	told bool // the log knows
}

// noteCut takes how a list arrived, and reports whether to say so.
func (cs *cuts) noteCut(cut *platform.Cut) (tell bool) {
	if cut == nil {
		cs.row = max(min(cs.row, 0)-1, -cutsToReport)
		tell = cs.told && cs.row <= -cutsToReport
	} else {
		cs.row = min(max(cs.row, 0)+1, cutsToReport)
		tell = !cs.told && (cut.By == platform.CutByLimit || cs.row >= cutsToReport)
	}
	if tell {
		cs.told = !cs.told
	}
	return tell
}

// measureCut notes how much of the chat list arrived, and says once when only a part does.
func (in *inbox) measureCut(ctx context.Context, c *cycle, list platform.ChatList, cut *platform.Cut) {
	c.listed = list.Took
	in.hearing.noteMeasured(list, cut)
	if !in.cuts.noteCut(cut) {
		return
	}
	account := slog.String("account", string(c.cfg.Account))
	if cut == nil {
		c.cfg.Log.LogAttrs(ctx, slog.LevelInfo, "the chat list arrives whole again", account, slog.Int("rows", list.Rows), slog.Int64("bytes", list.Bytes))
		return
	}
	c.cfg.Log.LogAttrs(ctx, slog.LevelWarn, "only the newest chats of the list arrive", account,
		slog.String("cut", string(cut.By)), slog.Int("rows", list.Rows), slog.Int64("bytes", list.Bytes), slog.Int64("limit", list.Limit),
		slog.Duration("took", list.Took.Round(time.Millisecond)), slog.Duration("timeout", list.Timeout),
		slog.String("do", event.CutAdvice(cut.By)), slog.Any("error", cut.Err))
}

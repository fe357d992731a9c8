package poll

import (
	"html"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/nectar-bot/nectar/bot/internal/blank"
	"github.com/nectar-bot/nectar/bot/internal/leap"
	"github.com/nectar-bot/nectar/platform"
)

const (
	sendKept    = 10 * time.Minute // after that, the list has shown it or never will
	sendsKept   = 8                // of one chat
	sendsListed = 64               // of one chat, where nothing else tells whose words a row shows
	sendText    = 1024             // bytes kept of a text; lists show less
	cutAtLeast  = 20               // characters that the list shows of a text it cuts
	pruneEach   = time.Minute
	ellipsis    = "…"
	ellipsisDot = "..."
)

// sends remembers what the account itself sent lately, so that a row that changes because of it is
// not taken for news.
type sends struct {
	mu     sync.Mutex // guards the fields below
	chats  map[platform.UserID][]send
	pruned time.Time
	listed bool               // lists are all there is; see snapshot_sends.go
	top    platform.MessageID // the highest id that an answer told and that is believed
	level  *level
}

type send struct {
	id       platform.MessageID // 0: no answer has come
	text     string             // as folded leaves it
	at       time.Time
	answered time.Time
}

func (s *sends) add(peer platform.UserID, id platform.MessageID, text string, now time.Time) {
	text = foldSent(text)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.riseLocked(id, now)
	list := s.chats[peer]
	open := func(old send) bool { return old.id == 0 && old.text == text }
	if i := slices.IndexFunc(list, open); i >= 0 && id != 0 {
		list[i].id, list[i].answered = id, now // it was told of before the answer came
		return
	} else if i >= 0 && s.listed {
		s.chats[peer] = slices.DeleteFunc(list, open) //mutate:sends-again
	}
	// Its open entry was used up by a row: kept once more, it would explain words that they say.
	if s.listed && id != 0 { // a list has shown it
		return
	}
	s.keepLocked(peer, send{id: id, text: text, at: now})
}

// riseLocked notes an id that an answer told. What was just made is the newest of all: what stands far above it is not to be
// believed.
func (s *sends) riseLocked(id platform.MessageID, now time.Time) {
	if id <= 0 {
		return
	}
	if leap.IsLeap(int64(id), int64(s.level.topID())) {
		s.level.setTop(id)
	}
	if leap.IsLeap(int64(id), int64(s.top)) {
		s.top = id
	}
	if id <= s.level.noteID(now, id) { //mutate:sends-rise
		s.top = max(s.top, id)
	}
}

// keepLocked remembers what was sent.
func (s *sends) keepLocked(peer platform.UserID, sent send) {
	if s.chats == nil {
		s.chats = map[platform.UserID][]send{}
	}
	most := sendsKept
	if s.listed {
		most = sendsListed
	}
	list := append(s.chats[peer], sent)
	s.chats[peer] = list[max(0, len(list)-most):]
}

// explainsRow reports whether shown, the last text of a row, is one that was sent and not read back yet:
// everything up to cursor was. An explanation that is used explains nothing more.
func (s *sends) explainsRow(peer platform.UserID, shown string, cursor platform.MessageID, use bool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := s.chats[peer]
	for i, sent := range slices.Backward(list) {
		if sent.id > 0 && sent.id <= cursor || !showsText(shown, sent.text) {
			continue
		}
		switch rest := list[i+1:]; {
		case !use:
		case len(rest) == 0:
			delete(s.chats, peer)
		default:
			s.chats[peer] = rest
		}
		return true
	}
	return false
}

// has reports whether anything is remembered that was sent to peer.
func (s *sends) has(peer platform.UserID) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.chats[peer]) > 0
}

// pruneOld forgets what is old.
func (s *sends) pruneOld(now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.listed || len(s.chats) == 0 || now.Sub(s.pruned) < pruneEach {
		return
	}
	s.pruned = now
	for peer, list := range s.chats {
		if now.Sub(list[len(list)-1].at) >= sendKept {
			delete(s.chats, peer)
		}
	}
	if len(s.chats) == 0 {
		s.chats = nil
	}
}

// tags are what of a text that was sent is taken for markup where the platform escapes nothing.
var tags = regexp.MustCompile(`</?[a-zA-Z][^<>]*>`)

// showsText reports whether a row's last text may be what the platform made of sent: it trims, may
// fold white space, may escape markup once more, and may cut.
func showsText(shown, sent string) bool {
	shown = foldText(shown)
	return showsFolded(shown, sent) || strings.IndexByte(sent, '<') >= 0 && showsFolded(shown, foldText(tags.ReplaceAllString(sent, " ")))
}

func showsFolded(shown, sent string) bool {
	if shown == "" || sent == "" {
		return false
	}
	if shown == sent {
		return true
	}
	begin := strings.TrimSuffix(strings.TrimSuffix(shown, ellipsis), ellipsisDot)
	cut := len(begin) < len(shown) || utf8.RuneCountInString(begin) >= cutAtLeast
	begin = strings.TrimSpace(begin)
	return cut && begin != "" && (strings.HasPrefix(sent, begin) || len(sent) > sendText-utf8.UTFMax && strings.HasPrefix(begin, sent))
}

func foldText(text string) string {
	if strings.IndexByte(text, '&') >= 0 {
		text = html.UnescapeString(text)
	}
	return blank.FoldSpace(text)
}

// foldSent returns a text that was sent as it is compared: folded, and no longer than it need be.
func foldSent(text string) string {
	if text = foldText(text); len(text) > sendText {
		text = strings.Clone(strings.ToValidUTF8(text[:sendText], ""))
	}
	return text
}

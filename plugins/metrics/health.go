package metrics

import (
	"encoding/json"
	"errors"
	"net/http"

	"github.com/nectar-bot/nectar/bot/record"
)

// serveHealthz answers as long as the process does anything at all: a supervisor should restart the process when there is no answer. It does not
// check what a restart does not cure, such as a platform or a database that is gone.
func serveHealthz(w http.ResponseWriter, _ *http.Request) { writeAnswer(w, nil) }

// serveReadyz answers whether the bot is at work: it has taken up what was before, and what Config.Ready checks is well. If not,
// the status is 503, and the answer says why.
func (s *Server) serveReadyz(w http.ResponseWriter, _ *http.Request) { writeAnswer(w, s.ready()) }

// serveStatus answers how the bot and its accounts stand, as it judges itself: 503 when that is not well. Unlike readyz, it is about accounts, too:
// one wrong password does not make the process unfit.
func (s *Server) serveStatus(w http.ResponseWriter, _ *http.Request) {
	j := s.bot.Judgement()
	j.Seen = j.Seen.UTC()
	body, err := json.Marshal(struct {
		Well bool `json:"well"`
		record.Judgement
	}{j.Well(), j})
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	if !j.Well() {
		w.WriteHeader(http.StatusServiceUnavailable)
	}
	_, _ = w.Write(append(body, '\n')) // an error means that the client has gone
}

var errNotReady = errors.New("the bot takes up what was before")

func (s *Server) ready() error {
	select {
	case <-s.bot.Ready():
	default:
		return errNotReady
	}
	if s.cfg.Ready == nil {
		return nil
	}
	return s.cfg.Ready()
}

func writeAnswer(w http.ResponseWriter, err error) {
	if err != nil {
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = w.Write([]byte("ok\n")) // an error means that the client has gone
}

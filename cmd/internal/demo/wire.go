package demo

import (
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/nectar-bot/nectar/platform/emulator"
)

// wire is the way between the bot of a demo and its platform. It can keep back the answer to the next call that takes a repost back,
// until the bot is dead that waits for it.
type wire struct {
	platform *emulator.Platform
	keeps    atomic.Bool
}

// demoKeeps is how long an answer is kept back at most: less than a bot waits for it.
const demoKeeps = demoDeadline / 2

func (w *wire) ServeHTTP(answer http.ResponseWriter, r *http.Request) {
	if w.keeps.Load() && strings.HasSuffix(r.URL.Path, "publication_repost") {
		answer = &keptAnswer{ResponseWriter: answer, r: r, wire: w, seq: w.platform.Ledger().Len()}
	}
	w.platform.ServeHTTP(answer, r)
}

// keptAnswer is an answer that may be kept back.
type keptAnswer struct {
	http.ResponseWriter
	r    *http.Request
	wire *wire
	seq  int64 // of the ledger before the call
}

// Unwrap is for an emulator that cuts the connection.
func (k *keptAnswer) Unwrap() http.ResponseWriter { return k.ResponseWriter }

func (k *keptAnswer) WriteHeader(status int) {
	k.wait()
	k.ResponseWriter.WriteHeader(status)
}

func (k *keptAnswer) Write(p []byte) (int, error) {
	k.wait()
	return k.ResponseWriter.Write(p) //nolint:wrapcheck // it is the answer
}

// wait returns when nobody waits for the answer any more, or it cannot be kept back for longer.
func (k *keptAnswer) wait() {
	for _, e := range k.wire.platform.Ledger().Since(k.seq) {
		if k.seq = e.Seq; e.ByAPI && e.Kind == emulator.Unreposted && k.wire.keeps.CompareAndSwap(true, false) {
			select {
			case <-k.r.Context().Done():
			case <-time.After(demoKeeps):
			}
		}
	}
}

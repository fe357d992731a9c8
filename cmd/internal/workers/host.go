package workers

import (
	"fmt"

	"github.com/nectar-bot/nectar/bot/admin"
	"github.com/nectar-bot/nectar/cmd/internal/print"
)

// requestsText says which shares a worker has.
func requestsText(w *admin.Worker) string {
	said := ""
	for _, h := range w.Hosts {
		share := fmt.Sprintf("%.4g/s of %.4g/s", h.Share, h.Of)
		if len(w.Hosts) > 1 {
			share = h.Host + " " + share
		}
		said = print.JoinTwo(said, share)
	}
	return said
}

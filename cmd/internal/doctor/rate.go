package doctor

import (
	"fmt"
	"time"

	"github.com/nectar-bot/nectar/bot/config"
)

const (
	lookRequests = 3 // of a look at the platform, when nothing is new
	rarestLook   = 4 // in intervals: how rarely an account is looked at that is idle
)

// checkRate tells when NECTAR_HOST_RATE does not suffice for all accounts, were they all at one host.
func (d *Doctor) checkRate(cfg config.Config) {
	rate := cfg.HostRate
	if rate <= 0 {
		return
	}
	needed, looked := 0.0, 0
	for _, a := range cfg.Serving() {
		if a.PollInterval > 0 {
			needed += lookRequests / (rarestLook * a.PollInterval.Seconds())
			looked++
		}
	}
	if needed <= rate {
		return
	}
	round := time.Duration(float64(looked) * lookRequests / rate * float64(time.Second)).Round(time.Second)
	d.NoteFinding(Finding{Check: "host rate", Status: Odd, Said: fmt.Sprintf("NECTAR_HOST_RATE allows a host %.4g requests a second, and looks at the platform alone would take %.4g: "+
		"where all accounts (%d) are at one host, each is read about every %v", rate, needed, looked, round)})
}

package metrics

import (
	"runtime"
	"strconv"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/prometheus/client_golang/prometheus"
)

var (
	trouble      = newDesc("trouble", "1 while something is not well, by what: of an account, or, with none, of the whole process. nectar status says it in words.", "account", "code")
	brokenRules  = newDesc("rules_broken_files", "Rule files that do not load; what worked last stays in force.")
	storeRefuses = newDesc("store_refuses", "1 while nothing can be stored.")
	diskFree     = newDesc("disk_free_bytes", "What is free on the disk of the database, where that is a file.")
	buildInfo    = newDesc("build_info", "1, with the version of the program and of Go.", "version", "go")
)

// collectJudgement tells how the bot stands, as all others do that tell of it.
func collectJudgement(ch chan<- prometheus.Metric, j *record.Judgement, free func() (uint64, bool)) {
	ch <- newGauge(buildInfo, 1, j.Version, runtime.Version())
	if n, known := free(); known {
		ch <- newGauge(diskFree, float64(n))
	}
	broken, refuses := 0, false
	told := map[[2]string]bool{} // a source after the other has the same code
	tell := func(account event.Account, all []record.Trouble) {
		for i := range all {
			code := all[i].Why.Code()
			switch code {
			case record.TroubleRules:
				broken, _ = strconv.Atoi(all[i].Why.Param("files")) // it is a number
			case record.TroubleStore:
				refuses = true
			default:
			}
			if of := [2]string{string(account), string(code)}; !told[of] {
				told[of] = true
				ch <- newGauge(trouble, 1, of[0], of[1])
			}
		}
	}
	tell("", j.Process)
	for account, all := range j.Accounts { // of many, those alone that are named
		tell(account, all)
	}
	ch <- newGauge(brokenRules, float64(broken))
	ch <- newGauge(storeRefuses, truthValue(refuses))
}

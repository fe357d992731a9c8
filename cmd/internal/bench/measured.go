package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"runtime"
	"slices"
	"strconv"
	"time"

	"github.com/nectar-bot/nectar/cmd/internal/demo"
)

// figure is something that a run shows.
type figure struct {
	name  string // in JSON
	title string
	of    func(demo.Report) float64
}

// allFigures are what is compared, in the order in which it is shown.
var allFigures = []figure{
	{"replies_per_second", "replies/s", func(r demo.Report) float64 { return r.RepliesPerSecond }},
	{"cpu_us_per_reply", "CPU per reply, µs", func(r demo.Report) float64 { return r.BotCPUSeconds * 1e6 / float64(r.Replies) }},
	{"peak_mb", "peak memory, MB", func(r demo.Report) float64 { return r.BotPeakRSSMB }},
	{"written_bytes_per_reply", "written per reply, bytes", func(r demo.Report) float64 { return r.WrittenPerReply }},
}

// measured is what was measured to answer a question.
type measured struct {
	Question string   `json:"question"`
	Figures  []string `json:"figures,omitempty"` // that answer it, by their names
	Machine  string   `json:"machine"`
	Day      string   `json:"day"`
	Cases    []*trial `json:"cases"`
}

// newMeasured is what is measured here and today.
func newMeasured(question string, figures []string) *measured {
	return &measured{
		Question: question, Figures: figures, Day: time.Now().Format(time.DateOnly),
		Machine: fmt.Sprintf("%s/%s, %d cores, %s", runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), runtime.Version()),
	}
}

// trial is one of the things that are compared.
type trial struct {
	Name   string `json:"name"`
	Flags  string `json:"flags"` // of nectar demo
	Commit string `json:"commit"`
	Short  bool   `json:"short,omitempty"` // it is in short tables, too

	// Runs are the figures of each run, by their names. What a system does not tell is left out.
	Runs []map[string]float64 `json:"runs"`
}

// addRun takes the figures of a run.
func (t *trial) addRun(r demo.Report) {
	run := map[string]float64{}
	for _, f := range allFigures {
		if x := f.of(r); x > 0 {
			run[f.name] = math.Round(x*100) / 100
		}
	}
	t.Runs = append(t.Runs, run)
}

// valuesOf returns a figure of all runs, in their order; nil when not all of them have it.
func (t *trial) valuesOf(name string) []float64 {
	all := make([]float64, 0, len(t.Runs))
	for _, run := range t.Runs {
		if x, ok := run[name]; ok {
			all = append(all, x)
		}
	}
	if len(all) < len(t.Runs) {
		return nil
	}
	return all
}

// shownFigures are those that answer the question; all where none are named.
func (m *measured) shownFigures() []figure {
	if len(m.Figures) == 0 {
		return allFigures
	}
	return slices.DeleteFunc(slices.Clone(allFigures), func(f figure) bool { return !slices.Contains(m.Figures, f.name) })
}

func readMeasured(path string) (*measured, error) {
	content, err := os.ReadFile(path) //nolint:gosec // it was named on the command line
	if err != nil {
		return nil, fmt.Errorf("read what was measured: %w", err)
	}
	m := &measured{}
	if err := json.Unmarshal(content, m); err != nil {
		return nil, fmt.Errorf("%s is nothing that was measured: %w", path, err)
	}
	return m, nil
}

// medianOf returns the middle of some values; NaN of none.
func medianOf(all []float64) float64 {
	if len(all) == 0 {
		return math.NaN()
	}
	all = slices.Sorted(slices.Values(all))
	return (all[(len(all)-1)/2] + all[len(all)/2]) / 2
}

// numberText is a figure in three digits, with its thousands apart.
func numberText(x float64) string {
	if math.IsNaN(x) {
		return "–"
	}
	n, step := int(math.Round(x)), 1
	for n/step >= 1000 {
		step *= 10
	}
	digits := strconv.Itoa((n + step/2) / step * step)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// spreadText is the middle of some values and, in brackets, how far they go.
func spreadText(all []float64) string {
	text := numberText(medianOf(all))
	if len(all) == 0 {
		return text
	}
	if least, most := numberText(slices.Min(all)), numberText(slices.Max(all)); least != most {
		text += " (" + least + "–" + most + ")"
	}
	return text
}

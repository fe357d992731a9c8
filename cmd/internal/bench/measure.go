package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nectar-bot/nectar/cmd/internal/print"
)

// question is one that the page answers: a file, a table and a picture.
type question struct {
	file    string
	asks    string
	figures []string
	cases   []string // name: flags of the demo; a name that ends in * is in short tables, too
}

var questions = []question{
	{
		"speed", "How many messages does a bot answer, and what does each cost?", []string{"replies_per_second", "cpu_us_per_reply", "peak_mb"}, []string{
			"a bot in Go*: --messages 20000 --people 1000",
			"a bot in Go, people wait: --messages 20000 --people 1000 --wait",
			"a bot in Go, one conversation: --messages 20000 --people 1",
			"rule files*: --messages 20000 --people 1000 --rules",
			"rule files, people wait: --messages 20000 --people 1000 --rules --wait",
			"a client that keeps nothing*: --messages 20000 --people 1000 --bare",
			"a client that keeps nothing, people wait: --messages 20000 --people 1000 --bare --wait",
		},
	},
	{
		"bytes", "How much does each reply write to the disk?", []string{"written_bytes_per_reply"}, []string{
			"a bot in Go: --messages 20000 --people 1000",
			"a bot in Go, encrypted: --messages 20000 --people 1000 --encrypt",
			"a bot in Go, people wait: --messages 20000 --people 1000 --wait",
			"a bot in Go, one conversation: --messages 20000 --people 1",
			"rule files: --messages 20000 --people 1000 --rules",
			"rule files, people wait: --messages 20000 --people 1000 --rules --wait",
		},
	},
	{
		"people", "What do more people cost?", []string{"replies_per_second", "cpu_us_per_reply", "peak_mb"}, []string{
			"100 people: --messages 30000 --people 100",
			"1,000 people: --messages 30000 --people 1000",
			"10,000 people: --messages 30000 --people 10000",
			"30,000 people: --messages 30000 --people 30000",
		},
	},
}

// measureAll measures what the page answers, by the working tree, and writes it to a folder.
func measureAll(ctx context.Context, folder string, rounds int, log io.Writer) error {
	played := map[string]*trial{} // by flags: a demo that answers several questions is played once in each round
	for _, q := range questions {
		for _, c := range q.cases {
			_, flags, _ := strings.Cut(c, ": ")
			played[flags] = &trial{Flags: flags}
		}
	}
	if err := playRounds(ctx, played, rounds, log); err != nil {
		return err
	}
	for _, q := range questions {
		m := newMeasured(q.asks, q.figures)
		for _, c := range q.cases {
			name, flags, _ := strings.Cut(c, ": ")
			t := *played[flags]
			t.Name, t.Short = strings.CutSuffix(name, "*")
			m.Cases = append(m.Cases, &t)
		}
		var content bytes.Buffer
		err := print.WriteJSON(&content, m)
		if err == nil {
			err = os.WriteFile(filepath.Join(folder, q.file+".json"), content.Bytes(), 0o600)
		}
		if err != nil {
			return fmt.Errorf("write what was measured: %w", err)
		}
	}
	return writePages(folder)
}

// playRounds plays all demos one after the other, and then all of them again, so that a busy minute of the machine meets many a little.
func playRounds(ctx context.Context, played map[string]*trial, rounds int, log io.Writer) error {
	progress := print.NewProgress(log)
	defer progress.End()
	return inFolder(func(dir string) error {
		p, err := buildProgram(ctx, filepath.Join(dir, "program"), workingTree)
		if err != nil {
			return err
		}
		for round := range rounds {
			for n, flags := range slices.Sorted(maps.Keys(played)) {
				progress.ShowStep(fmt.Sprintf("run %d of %d: nectar demo %s", round*len(played)+n+1, rounds*len(played), flags))
				r, err := p.playDemo(ctx, strings.Fields(flags))
				if err != nil {
					return err
				}
				played[flags].Commit = p.commit
				played[flags].addRun(r)
			}
		}
		return nil
	})
}

package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strings"

	"github.com/nectar-bot/nectar/cmd/internal/print"
)

// defaultFlags are the demo that says most in a few seconds.
var defaultFlags = []string{"--messages", "20000", "--people", "1000"}

// compare is two commits that are measured against each other.
type compare struct {
	old, new string
	pairs    int
	flags    []string // of the demo
	asJSON   bool
}

func (c compare) run(ctx context.Context, out, log io.Writer) error {
	if len(c.flags) == 0 {
		c.flags = defaultFlags
	}
	flags := strings.Join(c.flags, " ")
	m := newMeasured("nectar demo "+flags, nil)
	if err := c.checkChanges(ctx); err != nil {
		return err
	}
	err := inFolder(func(dir string) error {
		var programs []program
		for i, name := range []string{c.old, c.new} {
			p, err := buildProgram(ctx, filepath.Join(dir, fmt.Sprint(i)), name)
			if err != nil {
				return err
			}
			programs = append(programs, p)
			m.Cases = append(m.Cases, &trial{Name: name, Flags: flags, Commit: p.commit})
		}
		return c.playInTurns(ctx, programs, m, log)
	})
	switch {
	case err != nil:
		return err
	case c.asJSON:
		return print.WriteJSON(out, m)
	}
	return c.print(out, m)
}

// checkChanges refuses to measure the commit that is checked out while files of it are changed: who names it then may mean the files.
func (c compare) checkChanges(ctx context.Context) error {
	if c.old == workingTree || c.new == workingTree {
		return nil
	}
	changed, err := runGit(ctx, "status", "--porcelain")
	if err != nil || changed == "" {
		return err
	}
	head, err := runGit(ctx, "rev-parse", "HEAD")
	for _, name := range []string{c.old, c.new} {
		if commit, _ := runGit(ctx, "rev-parse", "--verify", "--quiet", name+"^{commit}"); commit == head && err == nil {
			return fmt.Errorf("%s is checked out, with changes that would not be measured: commit them, or name . for the working tree", name)
		}
	}
	return err
}

// playInTurns plays the demos: A B, B A, A B, … What makes the machine slower for a while then meets both.
func (c compare) playInTurns(ctx context.Context, programs []program, m *measured, log io.Writer) error {
	progress := print.NewProgress(log)
	defer progress.End()
	for pair := range c.pairs {
		for _, turn := range []int{0, 1} {
			side := (pair + turn) % 2
			progress.ShowStep(fmt.Sprintf("run %d of %d", 2*pair+turn+1, 2*c.pairs))
			r, err := programs[side].playDemo(ctx, c.flags)
			if err != nil {
				return err
			}
			m.Cases[side].addRun(r)
		}
	}
	return nil
}

// print writes what came of it for people.
func (c compare) print(out io.Writer, m *measured) error {
	t := &print.Table{Head: []string{"MEDIAN OF " + fmt.Sprint(c.pairs), "OLD " + c.old, "NEW " + c.new, "NEW/OLD", "IN PAIRS"}}
	for _, f := range allFigures {
		before, after := m.Cases[0].valuesOf(f.name), m.Cases[1].valuesOf(f.name)
		ratio, pairs := "–", "–"
		if before != nil && after != nil {
			ratio = fmt.Sprintf("%.3f", medianOf(after)/medianOf(before))
			least, most := math.Inf(1), 0.0
			for i := range before {
				least, most = min(least, after[i]/before[i]), max(most, after[i]/before[i])
			}
			pairs = fmt.Sprintf("%.3f–%.3f", least, most)
		}
		t.Add(f.title, numberText(medianOf(before)), numberText(medianOf(after)), ratio, pairs)
	}
	return t.Print(out, "")
}

package cmd

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/platform"
	"github.com/spf13/cobra"
)

const forgetHelp = `Forget shows what is kept of a person, asks, and has the bot delete it: what she
wrote and was told, values, timers, entries of lists, notices, limits. What is on
its way to her is waited for, what is due or held does not leave. What stays are
numbers of events and messages, without what was said, so that nothing is
answered again. What she writes afterwards is a stranger's first message.

With --and-ignore she is left alone from then on: nothing she does has an answer,
and nothing she writes is kept. --stop-ignoring ends that.

It is gone from the file of the database and its log, not from copies of them,
and not from the platform. A server clears it away when it cleans up. Without a running bot it is done when one starts.
nectar export shows all of it before.`

const forgetExample = "  nectar forget @ana\n  nectar forget 90 --and-ignore --yes\n  nectar forget --list-ignored\n  nectar forget --stop-ignoring 90"

// oblivion is what is wanted of a person.
type oblivion struct {
	deskFlags
	yes    bool
	ignore bool
	list   bool
	heed   bool
	wait   time.Duration
}

func newForget(sh shell) *cobra.Command {
	var o oblivion
	cmd := &cobra.Command{
		Use:     "forget PERSON",
		Short:   "Delete what is kept of a person",
		Long:    forgetHelp,
		Example: forgetExample,
		GroupID: groupCare,
		Args:    func(cmd *cobra.Command, args []string) error { return o.check(cmd, args) },
		RunE: func(cmd *cobra.Command, args []string) error {
			return sh.atDesk(&o.deskFlags, func(ctx context.Context, d *desk, args []string) error {
				switch {
				case o.list:
					return d.listIgnored(ctx)
				case o.heed:
					return d.heed(ctx, args[0], o.wait)
				}
				return o.forget(ctx, d, args[0], sh.stdin)
			})(cmd, args)
		},
	}
	o.add(cmd)
	f := cmd.Flags()
	f.BoolVar(&o.yes, "yes", false, "do not ask")
	f.BoolVar(&o.ignore, "and-ignore", false, "leave the person alone from then on")
	f.BoolVar(&o.list, "list-ignored", false, "list who is left alone")
	f.BoolVar(&o.heed, "stop-ignoring", false, "hear the person again from now on")
	waitFlag(cmd, &o.wait)
	asFlag(cmd, &o.deskFlags)
	return cmd
}

func (o *oblivion) check(cmd *cobra.Command, args []string) error {
	switch {
	case o.ignore && o.heed, o.list && (o.ignore || o.heed):
		return badUsage(cmd, errors.New("--and-ignore, --list-ignored and --stop-ignoring are three things: choose one"))
	case o.list && len(args) > 0:
		return badUsage(cmd, errors.New("--list-ignored lists everybody: name nobody"))
	case !o.list && len(args) != 1:
		return badUsage(cmd, errNobody)
	case o.json && !o.yes && !o.list && !o.heed:
		return badUsage(cmd, errors.New("--json is for scripts, and nobody is asked there: add --yes"))
	}
	return nil
}

// forget shows what is kept of a person, asks, and asks the bot to delete it.
func (o *oblivion) forget(ctx context.Context, d *desk, text string, answers io.Reader) error {
	p, err := d.person(ctx, text, o.ignore)
	if err != nil {
		return err
	}
	if !o.json {
		if err := d.tellPerson(p); err != nil {
			return err
		}
	}
	if p.Rows() == 0 && !o.ignore && !o.json {
		return nil
	}
	if !o.yes {
		if err := o.confirm(d.out, answers); err != nil {
			return err
		}
	}
	q := event.Request{Key: p.Key, Wish: event.WishForget, Ignore: o.ignore}
	return d.decide(ctx, o.wait, []decision{{q, text}})
}

// confirm asks a person whether that is wanted.
func (o *oblivion) confirm(out io.Writer, answers io.Reader) error {
	question := "Forget all of it? It cannot be brought back."
	if o.ignore {
		question = "Forget all of it, and ignore her from then on? It cannot be brought back."
	}
	return confirm(out, answers, question)
}

// confirm asks a person a question, and returns an error unless the answer is yes.
func confirm(out io.Writer, answers io.Reader, question string) error {
	if _, err := fmt.Fprintf(out, "%s [y/N] ", question); err != nil {
		return err
	}
	line, err := bufio.NewReader(io.LimitReader(answers, 4096)).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("read the answer: %w", err)
	}
	if err != nil {
		_, _ = fmt.Fprintln(out)
	}
	if answer := strings.ToLower(strings.TrimSpace(line)); answer != "y" && answer != "yes" {
		return &exitError{exitFailed, errors.New("nothing was changed (--yes does not ask)")}
	}
	return nil
}

// tellPerson says what is kept of a person.
func (d *desk) tellPerson(p *record.Person) error {
	name, user := p.Names()
	head := who(user, int64(p.Key.Peer))
	if name != "" {
		head += " (" + plain(name, 40) + ")"
	}
	head += fmt.Sprintf(", number %d, account %s", p.Key.Peer, p.Key.Account)
	if !p.Ignored.IsZero() {
		head += ", ignored since " + when(p.Ignored)
	}
	if _, err := fmt.Fprintln(d.out, head); err != nil {
		return err
	}
	t := table{head: []string{"WHAT", "HOW MANY", "FROM", "TO", "THE LAST"}}
	for _, k := range kindsOf(p) {
		t.add(k.name, strconv.Itoa(k.rows), when(k.first), when(k.last), plain(k.words, 60))
	}
	if err := t.print(d.out, "nothing is kept of what was said"); err != nil || p.Marks == 0 {
		return err
	}
	_, err := fmt.Fprintf(d.out, "%d numbers of events and messages without what was said, so that nothing comes again: they stay\n", p.Marks)
	return err
}

// heed asks the bot to hear somebody again who is ignored.
func (d *desk) heed(ctx context.Context, text string, wait time.Duration) error {
	var found []event.Key
	number, _ := strconv.ParseInt(text, 10, 64)
	those, err := d.among(ctx, record.Having{Thing: record.HasIgnored})
	if err != nil {
		return err
	}
	for _, account := range those {
		ignored, err := d.Ignored(ctx, account)
		if err != nil {
			return err
		}
		for _, x := range ignored {
			if x.Peer == platform.UserID(number) {
				found = append(found, event.Key{Account: account, Peer: x.Peer})
			}
		}
	}
	if len(found) == 0 {
		return fmt.Errorf("%q is not ignored: write a number as nectar forget --list-ignored shows it, since names are forgotten, too", text)
	}
	key, err := pick(found, text)
	if err != nil {
		return err
	}
	return d.decide(ctx, wait, []decision{{event.Request{Key: key, Wish: event.WishHeed}, text}})
}

// ignoredJSON is somebody who is left alone, for machines.
type ignoredJSON struct {
	Account event.Account   `json:"account"`
	Peer    platform.UserID `json:"peer"`
	Since   time.Time       `json:"since"`
}

func (d *desk) listIgnored(ctx context.Context) error {
	those, err := d.among(ctx, record.Having{Thing: record.HasIgnored})
	if err != nil {
		return err
	}
	t := table{head: []string{"NUMBER", "ACCOUNT", "SINCE"}}
	for _, account := range those {
		ignored, err := d.Ignored(ctx, account)
		if err != nil {
			return err
		}
		for _, x := range ignored {
			if d.json {
				if err := printLine(d.out, ignoredJSON{account, x.Peer, x.Since.UTC()}); err != nil {
					return err
				}
				continue
			}
			t.add(strconv.FormatInt(int64(x.Peer), 10), string(account), when(x.Since))
		}
	}
	if d.json {
		return nil
	}
	return d.print(&t, "nobody is ignored")
}

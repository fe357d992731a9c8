package view

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/cmd/internal/cli"
	"github.com/nectar-bot/nectar/cmd/internal/print"
	"github.com/nectar-bot/nectar/platform"
)

// ForgetExample shows how people are forgotten.
const ForgetExample = "  nectar forget @ana\n  nectar forget 90 --and-ignore --yes\n  nectar forget --list-ignored\n  nectar forget --stop-ignoring 90"

// Oblivion is what is wanted of a person.
type Oblivion struct {
	Flags
	Yes    bool
	Ignore bool
	List   bool
	Heed   bool
	Wait   time.Duration
}

// ForgetPerson shows what is kept of a person, asks, and asks the bot to delete it.
func (o *Oblivion) ForgetPerson(ctx context.Context, d *View, text string, answers io.Reader) error {
	p, approvals, err := d.findKept(ctx, text, o.Ignore)
	if err != nil {
		return err
	}
	if !o.JSON {
		if err := d.tellPerson(p, text); err != nil {
			return err
		}
	}
	if p.Rows() == 0 && !o.Ignore && !o.JSON {
		return nil
	}
	if !o.Yes {
		if err := o.confirm(ctx, d.Out, answers); err != nil {
			return err
		}
	}
	if err := d.forgetApprovals(ctx, text, approvals); err != nil || p.Key.Peer == 0 {
		return err
	}
	q := event.Request{Key: p.Key, Wish: event.WishForget, Ignore: o.Ignore}
	return d.AskDecisions(ctx, o.Wait, []Decision{{q, text}})
}

// confirm asks a person whether that is wanted.
func (o *Oblivion) confirm(ctx context.Context, out io.Writer, answers io.Reader) error {
	question := "Forget all of it? It cannot be brought back. What the bot's log and phones were told stays there."
	if o.Ignore {
		question = "Forget all of it, and ignore her from then on? It cannot be brought back. What the bot's log and phones were told stays there."
	}
	return cli.ConfirmYes(ctx, out, answers, question)
}

// tellPerson says what is kept of a person.
func (v *View) tellPerson(p *record.Person, text string) error {
	name, user := p.Names()
	head := print.PersonName(user, int64(p.Key.Peer))
	if name != "" {
		head += " (" + print.PlainText(name, 40) + ")"
	}
	head += fmt.Sprintf(", number %d, account %s", p.Key.Peer, p.Key.Account)
	if p.Key.Peer == 0 {
		head = print.PlainText(text, 40) + ", who has approved slots of campaigns"
	}
	if !p.Ignored.IsZero() {
		head += ", ignored since " + print.TimeText(p.Ignored)
	}
	if _, err := fmt.Fprintln(v.Out, head); err != nil {
		return err
	}
	t := print.Table{Head: []string{"WHAT", "HOW MANY", "FROM", "TO", "THE LAST"}}
	for _, k := range kindsOf(p) {
		t.Add(k.name, strconv.Itoa(k.rows), print.TimeText(k.first), print.TimeText(k.last), print.PlainText(k.words, 60))
	}
	if err := t.Print(v.Out, "nothing is kept of what was said"); err != nil || p.Marks == 0 {
		return err
	}
	return print.SayLine(v.Out, "%d numbers of events and messages without what was said, so that nothing comes again: they stay", p.Marks)
}

// UnignorePerson asks the bot to hear somebody again who is ignored.
func (v *View) UnignorePerson(ctx context.Context, text string, wait time.Duration) error {
	var found []event.Key
	number, _ := strconv.ParseInt(text, 10, 64)
	those, err := v.AmongMeant(ctx, record.Having{Thing: record.HasIgnored})
	if err != nil {
		return err
	}
	for _, account := range those {
		ignored, err := v.Ignored(ctx, account)
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
	key, err := pickOne(found, text)
	if err != nil {
		return err
	}
	return v.AskDecisions(ctx, wait, []Decision{{event.Request{Key: key, Wish: event.WishHeed}, text}})
}

// ignoredJSON is somebody who is left alone, for machines.
type ignoredJSON struct {
	Account event.Account   `json:"account"`
	Peer    platform.UserID `json:"peer"`
	Since   time.Time       `json:"since"`
}

// ListIgnored writes the list of people who are ignored.
func (v *View) ListIgnored(ctx context.Context) error {
	those, err := v.AmongMeant(ctx, record.Having{Thing: record.HasIgnored})
	if err != nil {
		return err
	}
	t := v.newTable("NUMBER", "ACCOUNT", "SINCE")
	for _, account := range those {
		ignored, err := v.Ignored(ctx, account)
		if err != nil {
			return err
		}
		for _, x := range ignored {
			t.AddRow(ignoredJSON{account, x.Peer, x.Since.UTC()}, strconv.FormatInt(int64(x.Peer), 10), string(account), print.TimeText(x.Since))
		}
	}
	return v.print(t, "nobody is ignored")
}

package view

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/inspect"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/cmd/internal/cli"
	"github.com/nectar-bot/nectar/cmd/internal/print"
)

// Saying is what a person of ours says through the bot.
type Saying struct {
	Flags
	Anyway  bool   // also to somebody who has asked for silence
	List    string // to all who stand on it
	Rule    string // to all to whom this rule has said Was
	Was     string
	Since   time.Duration
	Send    bool // not only shown
	Results string
	Stop    string
	Wait    time.Duration
}

// SayToPerson says something to one person. It is a word of ours: what waits is dealt with, and the conversation is a person's.
func (s *Saying) SayToPerson(ctx context.Context, d *View, person, text string, answers io.Reader) error {
	if err := textProblem(text, bot.MaxMessage); err != nil {
		return err
	}
	key, err := d.Find(ctx, person)
	if err != nil {
		return err
	}
	q := event.Request{Key: key, Wish: event.WishSay, Text: text}
	state, err := d.Conversation(ctx, key)
	if err != nil {
		return err
	}
	if s.Anyway {
		q.Subject = event.SayAnyway
	}
	if !state.Silence.Since.IsZero() && !s.Anyway {
		question := fmt.Sprintf("%s has asked for silence. Say it all the same?", print.PersonName(state.User, int64(key.Peer)))
		if err := cli.ConfirmYes(ctx, d.Out, answers, question); err != nil {
			return errors.Join(errors.New("nothing was said (--anyway does not ask)"), interrupted(err))
		}
		q.Subject = event.SayAnyway
	}
	asked, running, err := inspect.Decide(ctx, d.Inspector, d.By, q)
	if err != nil {
		return err
	}
	if !running || s.Wait <= 0 {
		return d.tellRequest(asked[0], person, record.Answer{}, "asked for; it is said when a bot runs on "+d.Database)
	}
	enough := time.Now().Add(s.Wait)
	answer, _, err := inspect.Await(ctx, d.Inspector, asked[0], enough)
	if err != nil {
		return err
	}
	if answer.Outcome != bot.OutcomeHandled {
		if err := d.tellRequest(asked[0], person, answer, fmt.Sprintf("asked for; the bot did not get to it within %s, and says it later", s.Wait)); err != nil {
			return err
		}
		return &cli.ExitError{Code: cli.ExitFailed}
	}
	return d.tellSaid(ctx, &asked[0], person, answer, enough)
}

// interrupted is an error that ends the command in any case.
func interrupted(err error) error {
	if errors.Is(err, cli.ErrInterrupted) {
		return err
	}
	return nil
}

// tellSaid waits until what was said has arrived, and tells that.
func (v *View) tellSaid(ctx context.Context, q *event.Request, person string, answer record.Answer, enough time.Time) error {
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	for {
		said, err := v.ActionsOf(ctx, q.Key.Account, q.Trigger().ID())
		if err != nil {
			return err
		}
		open := "it has not left yet; nectar conversations show tells what became of it"
		for i := range said {
			a := &said[i]
			switch {
			case a.State == event.StateDone:
				open = "it has arrived"
			case a.State.Final() || a.State == event.StateHeld:
				answer.Note, answer.Outcome = "it was not said: "+a.Reason, string(a.State)
				if err := v.tellRequest(*q, person, answer, ""); err != nil {
					return err
				}
				return &cli.ExitError{Code: cli.ExitFailed}
			}
		}
		if len(said) > 0 && open == "it has arrived" || !time.Now().Before(enough) {
			answer.Note = open + "; " + answer.Note
			return v.tellRequest(*q, person, answer, "")
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-tick.C:
		}
	}
}

// textProblem says why a text cannot be said.
func textProblem(text string, most int) error {
	switch n := utf8.RuneCountInString(text); {
	case strings.TrimSpace(text) == "":
		return errors.New("there is nothing to say: write the text behind whom it is for, in quotes")
	case n > most:
		return fmt.Errorf("the text has %d characters, and may have %d", n, most)
	}
	return nil
}

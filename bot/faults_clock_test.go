package bot_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform/emulator"
	"github.com/nectar-bot/nectar/platform/emulator/judge"
)

const day = 24 * time.Hour

// setClock changes the database of a stopped bot as if its clock had been set by so much since.
func setClock(t *testing.T, w *bottest.World, by time.Duration) {
	t.Helper()
	db, err := sql.Open("sqlite", w.Database())
	if err != nil {
		t.Fatal(err)
	}
	for table, columns := range map[string]string{
		"event": "seen_at not_before handled_at", "turn": "handled_at", "conversation": "owner_since unreachable changed_at",
		"action": "due_at until_at decided_at left_at ended_at position", "timer": "due_at set_at", "claim": "claimed_at", "fact": "read_at",
		"cursor": "polled_at", "session": "saved_at",
	} {
		for column := range strings.FieldsSeq(columns) {
			change := fmt.Sprintf("UPDATE %[1]s SET %[2]s = %[2]s - ? WHERE %[2]s > 0", table, column)
			if _, err = db.ExecContext(context.WithoutCancel(t.Context()), change, by.Microseconds()); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := errors.Join(err, db.Close()); err != nil {
		t.Error(err)
	}
}

// A clock that is set by a day between two incarnations changes nothing about what was decided: answers that
// waited go out at once, in order, and what people write meanwhile is answered, too.
func TestAClockThatJumps(t *testing.T) {
	effort.Long(t)
	t.Parallel()
	for name, c := range map[string]struct {
		by   time.Duration
		late time.Duration // how long what was meant for later may take
	}{
		"forward": {day, 0},
		"back":    {-day, time.Hour},
	} {
		for _, how := range []string{"stopped", "killed"} {
			if !effort.Some(name + " " + how) {
				continue
			}
			t.Run(name+" "+how, func(t *testing.T) {
				effort.Case(t)
				bottest.Run(t, bottest.Config{
					Routes: append(answers(func() error { return nil }),
						bot.On("later", bot.AnyLike(), func(_ context.Context, t *bot.Turn, _ event.Like) error {
							return t.Message("you liked it an hour ago", bot.In(time.Hour))
						})),
					Platform: emulator.Config{SessionTTL: 2 * time.Hour},
					Bot:      bot.Config{PollInterval: 15 * time.Second, Pace: &event.Pace{Account: event.Rate{PerSecond: 0.1, Burst: 2}}},
				}, func(w *bottest.World) {
					since := w.Platform().Ledger().Len()
					people := make([]*bottest.Person, 6)
					for i := range people {
						people[i] = w.Person(fmt.Sprintf("guest%02d", i))
						people[i].Says("one", "two")
					}
					visitor := w.Person("visitor")
					visitor.Likes(w.Posts("spring menu"))
					people[0].Mentions("look")
					w.Advance(30 * time.Second) // the first answers have left, the others are stored
					if how == "stopped" {
						w.Stop()
					} else {
						w.CrashStop()
					}
					setClock(t, w, c.by)
					w.Start()
					for i := range people {
						people[i].Says("three")
					}
					w.Advance(5 * time.Minute)
					expect := livelyExpect(w, since)
					if v := judge.Platform(w.Platform(), expect); v.Lost+v.OutOfOrder+v.Flickers+v.LikesWrong > 0 || v.Replies != 18 {
						t.Errorf("%v\n%s\n%s", v, strings.Join(v.Details, "\n"), strings.Join(lines(w.Log()), "\n"))
					}
					w.Advance(c.late)
					visitor.Expects("you liked it an hour ago")
					visitor.ExpectsNothing(time.Hour)
				})
			})
		}
	}
}

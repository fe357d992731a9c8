package script_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nectar-bot/nectar/platform"
	. "github.com/nectar-bot/nectar/platform/emulator"
	"github.com/nectar-bot/nectar/platform/emulator/internal/honest"
	"github.com/nectar-bot/nectar/platform/emulator/script"
)

const (
	mia = script.Actor("mia")
	tom = script.Actor("tom")
)

// scene has a bot at work, which takes a second for each deed, and a post of its account.
func scene(t *testing.T, act func(ctx context.Context, b *honest.Bot, menu platform.PostID)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		b := honest.New(t, New(Config{}))
		b.Work = time.Second
		menu := b.Platform.Post(b.Account, "spring menu")
		b.Alongside(t, func(ctx context.Context) { act(ctx, b, menu) })
	})
}

func TestPlay(t *testing.T) {
	t.Parallel()
	scene(t, func(ctx context.Context, b *honest.Bot, menu platform.PostID) {
		b.Platform.AddPerson(Person{Username: "Tom", FirstName: "Thomas", Private: true})
		start := time.Now()
		err := script.Play(ctx, b.Platform, script.Script{Account: b.Account, Steps: []script.Step{
			mia.Says("hello there"),
			mia.Says("are you open?"),
			mia.Expects("hello"),
			mia.Expects("open?"),
			mia.Mentions("look at this"),
			mia.ExpectsLike(),
			mia.Reposts(menu),
			mia.Likes(menu),
			mia.Expects("thank"),
			mia.Replies(menu, "tasty"),
			mia.ExpectsLike(),
			tom.Follows(),
			tom.ExpectsFollow(),
			tom.Expects("welcome"),
			tom.Unfollows(),
		}})
		if err != nil {
			t.Error(err)
		}
		if took := time.Since(start); took != 7*time.Second {
			t.Errorf("took %v", took)
		}
		if b.Platform.UserID("mia") == 0 {
			t.Error("nobody is called mia")
		}
		if id := b.Platform.UserID("tom"); !b.Platform.Requested(b.Account, id) {
			t.Error("tom is another one than the private Tom")
		}
	})
}

func TestPlayFails(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		steps []script.Step
		want  string
	}{
		"no answer": {
			[]script.Step{mia.Says("hi"), mia.Expects("hi"), mia.Expects("hi")},
			`step 3, mia expects "hi": nothing came within 10s`,
		},
		"another answer": {
			[]script.Step{mia.Says("hi"), mia.Expects("bye")},
			`step 2, mia expects "bye": the account wrote "echo: hi"`,
		},
		"an answer to somebody else": {
			[]script.Step{mia.Says("hi"), tom.Expects("hi")},
			`step 2, tom expects "hi": nothing came within 10s`,
		},
		"no like": {
			[]script.Step{mia.Says("hi"), mia.ExpectsLike()},
			`step 2, mia expects a like: nothing came within 10s`,
		},
		"no repost": {
			[]script.Step{mia.Mentions("look"), mia.ExpectsRepost()},
			`step 2, mia expects a repost: nothing came within 10s`,
		},
		"not followed": {
			[]script.Step{mia.ExpectsFollow()},
			`step 1, mia expects to be followed: nothing came within 10s`,
		},
		"nothing changes": {
			[]script.Step{mia.Follows(), mia.Follows()},
			`step 2, mia follows the account: the platform refused, or nothing changed`,
		},
		"unknown post": {
			[]script.Step{mia.Likes(99)},
			`step 1, mia likes post 99: the platform refused, or nothing changed`,
		},
		"empty": {
			[]script.Step{mia.Says(" ")},
			`step 1, mia says " ": the platform refused, or nothing changed`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			scene(t, func(ctx context.Context, b *honest.Bot, _ platform.PostID) {
				err := script.Play(ctx, b.Platform, script.Script{Account: b.Account, Steps: c.steps})
				if err == nil {
					t.Fatal("Play succeeded")
				}
				if diff := cmp.Diff(c.want, err.Error()); diff != "" {
					t.Error(diff)
				}
			})
		})
	}
}

func TestPlayStops(t *testing.T) {
	t.Parallel()
	for name, step := range map[string]script.Step{"a message": mia.Expects("hi"), "a like": mia.ExpectsLike()} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			scene(t, func(ctx context.Context, b *honest.Bot, _ platform.PostID) {
				short, cancel := context.WithTimeout(ctx, time.Second)
				defer cancel()
				err := script.Play(short, b.Platform, script.Script{Account: b.Account, Patience: time.Hour, Steps: []script.Step{step}})
				if !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("Play returned %v", err)
				}
			})
		})
	}
}

package autoresponder_test

import (
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
)

const hoursAnswer = "Mon-Fri 9:00-18:30"

func TestFAQ(t *testing.T) {
	effort.Shared(t)
	t.Parallel()
	runHours(t, reference(t, live...), tuesday, func(w *bottest.World) {
		ana := w.Person("ana")
		ana.Says("hey,")
		w.Advance(3 * time.Second)
		ana.Says("when do you open tomorrow?") // one burst, one answer
		ana.ExpectsPart(hoursAnswer)
		ana.Says("and what are your opening hours on Saturday")
		ana.ExpectsNothing(time.Hour) // once per 12 hours
		ana.Says("what's the price of the box?")
		ana.Expects("The small box is 12, the family box 28; catering from 15 per guest. Anything else, Ana?")
		w.Advance(24 * time.Hour)
		ana.Says("are you open?")
		ana.ExpectsPart(hoursAnswer)
		if labels := strings.Join(w.Conversation(ana).Labels, " "); labels != "faq-hours faq-price" {
			t.Errorf("labels: %s", labels)
		}
	})
}

func TestFAQInPublic(t *testing.T) {
	t.Parallel()
	run(t, reference(t, live...), tuesday, func(w *bottest.World) {
		leo := w.Person("leo")
		leo.Mentions("hey @bot, when do you open tomorrow?")
		leo.ExpectsLike()
		w.Advance(time.Minute)
		if !strings.Contains(w.Transcript(), hoursAnswer) {
			t.Errorf("no public answer:\n%s", w.Transcript())
		}
	})
}

func TestClosed(t *testing.T) {
	t.Parallel()
	saturday := tuesday.AddDate(0, 0, 4).Add(13 * time.Hour) // 23:00
	run(t, reference(t, append(live, "quiet_hours: 22:00-08:00", "answer_within: 6h")...), saturday, func(w *bottest.World) {
		ana := w.Person("ana")
		ana.Says("hello?")
		ana.Expects("Thanks Ana! We are closed and will answer on Monday at 9:00.")
		ana.Says("hello??")
		ana.ExpectsNothing(time.Hour)
	})
}

func TestWatchSendsNothing(t *testing.T) {
	t.Parallel()
	runHours(t, reference(t), tuesday, func(w *bottest.World) {
		ana := w.Person("ana")
		ana.Says("hey, when do you open tomorrow?")
		ana.ExpectsNothing(time.Hour)
		if c := w.Conversation(ana); len(c.Labels) > 0 {
			t.Errorf("labels: %v", c.Labels)
		}
		if len(held(t, w)) > 0 {
			t.Error("something is held")
		}
	})
}

func TestCatering(t *testing.T) {
	t.Parallel()
	run(t, reference(t, live...), tuesday, func(w *bottest.World) {
		ana := w.Person("ana")
		ana.Says("hi, do you do wedding catering?")
		ana.Expects("With pleasure, Ana! What date is the event? For example: 14 June.")
		ana.Says("hm")
		ana.Expects("I could not read a date there. Something like: 14 June.")
		ana.Says("14 June")
		ana.Expects("And how many guests, roughly?")
		ana.Says("about 80")
		ana.Expects("Where may we send the quote: e-mail or phone?")
		ana.Says("when do you open?") // answered in between, then asked again
		ana.ExpectsPart(hoursAnswer)
		ana.Expects("Where may we send the quote: e-mail or phone?")
		ana.Says("ana@example.org")
		ana.Expects("To check: Monday 14 June, 80 guests, answer to ana@example.org. Correct?")
		ana.Says("yes")
		ana.Expects("Thank you! You will have a quote by tomorrow at 9:00.")
		if c := w.Conversation(ana); c.Flow.Active() || !c.HasLabel("lead-complete") {
			t.Errorf("the conversation stands at %+v, with labels %v", c.Flow, c.Labels)
		}
	})
}

func TestCateringAsks(t *testing.T) {
	effort.Shared(t)
	t.Parallel()
	runHours(t, reference(t), tuesday, func(w *bottest.World) {
		ana := w.Person("ana")
		ana.Says("wedding quote")
		ana.ExpectsNothing(4 * time.Hour) // nobody is silent who was not asked
		if a := held(t, w); len(a) != 1 || a[0].Reason != "needs approval" {
			t.Fatalf("held: %+v", a)
		}
		approve(t, w)
		ana.ExpectsPart("What date is the event?")
		w.Advance(3*time.Hour + time.Minute)
		approve(t, w)
		ana.Expects("Still there, Ana? No rush, your answers are kept until tomorrow.")
	})
}

func TestSilence(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	runHours(t, reference(t, live...), tuesday, func(w *bottest.World) {
		ana := w.Person("ana")
		ana.Says("wedding quote")
		ana.ExpectsPart("What date is the event?")
		w.Advance(3 * time.Hour)
		ana.Expects("Still there, Ana? No rush, your answers are kept until tomorrow.")
		w.Advance(22 * time.Hour)
		if c := w.Conversation(ana); c.Flow.Active() || !c.HasLabel("lead-lost") {
			t.Errorf("the conversation stands at %+v, with labels %v", c.Flow, c.Labels)
		}
	})
}

func TestHandoff(t *testing.T) {
	t.Parallel()
	runHours(t, reference(t, live...), tuesday, func(w *bottest.World) {
		ana := w.Person("ana")
		ana.Says("catering?")
		ana.ExpectsPart("What date is the event?")
		ana.Says("can I talk to a person")
		ana.Expects("Thank you, Ana. A colleague will answer you here today.")
		ana.Says("are you open?")
		ana.ExpectsNothing(2 * time.Hour)
		w.Advance(10 * time.Minute)
		for _, part := range []string{
			"Catering: no date yet, unknown guests, contact not given.", "nobody has answered yet",
		} {
			if !strings.Contains(w.Log(), part) {
				t.Errorf("the log does not say %q", part)
			}
		}
	})
}

func TestReactions(t *testing.T) {
	t.Parallel()
	run(t, reference(t), tuesday, func(w *bottest.World) {
		leo, post := w.Person("leo"), w.Posts("our new menu")
		leo.Mentions("lovely place, @bot")
		leo.ExpectsLike()
		leo.Follows()
		w.Advance(time.Minute)
		if a := held(t, w); len(a) != 1 || a[0].Verb != event.VerbMessage {
			t.Fatalf("held: %+v", a)
		}
		approve(t, w)
		leo.Expects("Welcome, Leo! Ask us anything here; write STOP and we stay silent.")
		leo.Unfollows()
		w.Advance(time.Minute)
		leo.Follows()
		w.Advance(time.Minute)
		approve(t, w)
		leo.ExpectsNothing(time.Hour) // once ever
		leo.Reposts(post)
		leo.ExpectsPart("Leo")
	})
}

func TestQuietHours(t *testing.T) {
	t.Parallel()
	night := tuesday.Add(13 * time.Hour)
	runHours(t, reference(t), night, func(w *bottest.World) {
		leo := w.Person("leo")
		leo.Mentions("lovely place, @bot")
		leo.ExpectsNothing(8 * time.Hour)
		w.Advance(90 * time.Minute)
		leo.ExpectsLike()
	})
}

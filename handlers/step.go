package handlers

import (
	"context"
	"fmt"

	"github.com/nectar-bot/nectar/bot"
)

// On makes a route of ready steps: what m matches goes through all of them, one after another. The first
// error ends it.
func On[E any](name string, m bot.Matcher[E], steps ...bot.Handler) bot.Route {
	return bot.On(name, m, func(ctx context.Context, t *bot.Turn, _ E) error { return run(ctx, t, steps) })
}

func run(ctx context.Context, t *bot.Turn, steps []bot.Handler) error {
	for _, s := range steps {
		if err := s.Handle(ctx, t); err != nil {
			return err
		}
	}
	return nil
}

// Reply answers where the event was said: a message by a message, a mention or a reply in public; see
// bot.Turn.Reply. The text is a Template; a wrong template is a mistake in the program, and panics.
func Reply(text string, options ...bot.Option) bot.Handler {
	return mustTemplate("handlers.Reply", text).replyStep(options...)
}

// Say sends the person a private message. The text is a Template; a wrong template is a mistake in the
// program, and panics.
func Say(text string, options ...bot.Option) bot.Handler {
	return mustTemplate("handlers.Say", text).sayStep(options...)
}

// replyStep returns the step that answers with the text where the event was said.
func (tp Template) replyStep(options ...bot.Option) bot.Handler {
	return bot.HandlerFunc(func(_ context.Context, t *bot.Turn) error { return t.Reply(tp.For(t), options...) })
}

// sayStep returns the step that sends the text as a private message.
func (tp Template) sayStep(options ...bot.Option) bot.Handler {
	return bot.HandlerFunc(func(_ context.Context, t *bot.Turn) error { return t.Message(tp.For(t), options...) })
}

// Thank sends the person a private message, once for each post and kind of event: somebody who takes a like back
// and likes again is not thanked again. The text is a Template; a wrong template is a mistake in the
// program, and panics.
func Thank(text string, options ...bot.Option) bot.Handler {
	tp := mustTemplate("handlers.Thank", text)
	return bot.HandlerFunc(func(_ context.Context, t *bot.Turn) error {
		once := bot.OncePerPost("thank/"+string(t.Event.Kind), t.Event.Post)
		return t.Message(tp.For(t), append([]bot.Option{once}, options...)...)
	})
}

// LikeIt likes the post that the event is about.
func LikeIt(options ...bot.Option) bot.Handler {
	return onPost("like", func(t *bot.Turn) { t.Like(t.Event.Post, options...) })
}

// RepostIt reposts the post that the event is about.
func RepostIt(options ...bot.Option) bot.Handler {
	return onPost("repost", func(t *bot.Turn) { t.Repost(t.Event.Post, options...) })
}

// onPost is a step for events that are about a post.
func onPost(verb string, do func(t *bot.Turn)) bot.Handler {
	return bot.HandlerFunc(func(_ context.Context, t *bot.Turn) error {
		if t.Event.Post == 0 {
			t.Note("there is no post to %s", verb)
			return nil
		}
		do(t)
		return nil
	})
}

// FollowBack follows the person, or asks for it.
func FollowBack(options ...bot.Option) bot.Handler {
	return step(func(t *bot.Turn) { t.Follow(options...) })
}

// Handoff gives the conversation to a person or team; see bot.Turn.Handoff.
func Handoff(to string) bot.Handler { return step(func(t *bot.Turn) { t.Handoff(to) }) }

// Label adds labels to the conversation.
func Label(labels ...string) bot.Handler {
	return step(func(t *bot.Turn) {
		for _, l := range labels {
			t.Label(l)
		}
	})
}

// Unlabel removes labels from the conversation.
func Unlabel(labels ...string) bot.Handler {
	return step(func(t *bot.Turn) {
		for _, l := range labels {
			t.Unlabel(l)
		}
	})
}

func step(do func(t *bot.Turn)) bot.Handler {
	return bot.HandlerFunc(func(_ context.Context, t *bot.Turn) error {
		do(t)
		return nil
	})
}

// StartFlow begins a flow with these data.
func StartFlow[D any](f *bot.Flow[D], data D) bot.Handler {
	return bot.HandlerFunc(func(ctx context.Context, t *bot.Turn) error {
		if err := bot.StartFlow(ctx, t, f, data); err != nil {
			return fmt.Errorf("start flow %s: %w", f.Name(), err)
		}
		return nil
	})
}

package handlers_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/conversation"
	"github.com/nectar-bot/nectar/handlers"
	"github.com/nectar-bot/nectar/platform/emulator"
)

func order(_ context.Context, t *bot.Turn, m handlers.Match) error {
	text := fmt.Sprintf("%s of %v", m.Groups[1], m.Groups)
	if who := m.Group("who") + m.Group("nobody"); who != "" {
		text += " for " + who
	}
	return t.Reply(text)
}

func start(_ context.Context, t *bot.Turn, c handlers.Call) error {
	return t.Reply(fmt.Sprintf("%s with %s: %s", c.Name, c.Args, strings.Join(strings.Fields(c.Args), " ")))
}

func TestSteps(t *testing.T) {
	t.Parallel()
	stop := bot.HandlerFunc(func(context.Context, *bot.Turn) error { return errors.New("never mind") })
	bottest.Run(t, bottest.Config{Routes: []bot.Route{
		handlers.On("mention", bot.AnyMention(), handlers.LikeIt(), handlers.RepostIt(), handlers.FollowBack(), handlers.Reply("seen, {{first_name|friend}}")),
		handlers.On("follow", bot.AnyFollow(), handlers.FollowBack(), handlers.Say("welcome, {{first_name|friend}}")),
		handlers.On("repost", bot.AnyRepost(), handlers.Thank("thank you, {{user_name|friend}}")),
		handlers.On("no post", handlers.Text("like me"), handlers.LikeIt(), handlers.RepostIt(), handlers.Reply("I do")),
		handlers.On("labels", handlers.Text("vip"), handlers.Label("vip", "new"), handlers.Unlabel("new")),
		handlers.On("vip", handlers.Text("hi").If(handlers.Labelled("vip")), handlers.Reply("hello, {{ name | dear guest }}")),
		handlers.On("error", handlers.Text("error"), handlers.Say("never said"), stop, handlers.Say("nor this")),
		handlers.On("person", handlers.Text("human"), handlers.Say("one moment"), handlers.Handoff("ines")),
		handlers.On("hi", handlers.Text("hi").If(handlers.Not(handlers.Labelled("vip"))), handlers.Reply("hi")),
	}}, func(w *bottest.World) {
		ana, menu := w.AddPerson(emulator.Person{Username: "ana", FirstName: "Ana", LastName: "Lima"}), w.Posts("spring menu")
		ana.Mentions("look")
		ana.ExpectsLike()
		ana.ExpectsRepost()
		ana.ExpectsFollow()
		ana.ExpectsReply("seen, Ana")
		leo := w.AddPerson(emulator.Person{Username: "leo"})
		leo.Follows()
		leo.ExpectsFollow()
		leo.ExpectsPart("welcome, ")
		ana.Reposts(menu)
		ana.Expects("thank you, ana")
		w.Advance(time.Minute)
		ana.Unreposts(menu)
		ana.Reposts(menu)
		ana.ExpectsNothing(time.Minute)
		ana.Says("hi", "vip", "hi", "like me")
		ana.Expects("hi", "hello, Ana Lima", "I do")
		ana.Says("error", "human", "anybody?", "hi")
		ana.Expects("one moment")
		ana.ExpectsNothing(time.Hour)
		if c := w.Conversation(ana); c.Owner != "ines" || c.HasLabel("new") {
			t.Errorf("the conversation is %+v", c)
		}
	})
}

func TestStartFlow(t *testing.T) {
	t.Parallel()
	type data struct{ Name string }
	flow := bot.MustFlow("name", bot.FlowDefinition[data]{
		States: []bot.FlowState[data]{
			{
				Name: "ask", Enter: func(_ context.Context, t *bot.Turn, d *data) error { return t.Message("are you " + d.Name + "?") },
				Handle: func(_ context.Context, t *bot.Turn, _ *data) (conversation.Signal, error) {
					if t.Text() == "yes" {
						return "done", nil
					}
					return conversation.Pass, nil
				},
			},
			{Name: "end", Final: true},
		},
		Transitions: []bot.FlowTransition[data]{{From: "ask", On: "done", To: "end"}},
	})
	bottest.Run(t, bottest.Config{Flows: []bot.Machine{flow}, Routes: []bot.Route{
		handlers.On("start", handlers.Text("start"), handlers.StartFlow(flow, data{"Ana"})),
		handlers.On("here", handlers.Text("where am I").If(handlers.InState("name", "ask", "other")), handlers.Reply("in the flow")),
		handlers.On("any", handlers.Text("in it").If(handlers.InState("name")), handlers.Reply("in it")),
		handlers.On("not", handlers.Words("I", "it"), handlers.Reply("nowhere")).Ordered(1),
	}}, func(w *bottest.World) {
		ana := w.Person("ana")
		ana.Says("where am I", "start", "where am I", "in it", "yes", "in it")
		ana.Expects("nowhere", "are you Ana?", "in the flow", "in it", "nowhere")
	})
}

func TestTemplates(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"plain":                      "plain",
		"Hi {{first_name|there}}!":   "Hi Ana!",
		"{{ name | you }}{{text|-}}": "Ana Limahi",
	} {
		tp, err := handlers.ParseTemplate(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := tp.For(message(" hi ")); got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
	nobody := message("")
	nobody.Conversation.Name, nobody.Conversation.User, nobody.Event.Name = "", "", ""
	tp, err := handlers.ParseTemplate("{{first_name|there}}, {{name|you}}, {{user_name|nobody}}, {{text|nothing}}")
	if err != nil {
		t.Fatal(err)
	}
	if got := tp.For(nobody); got != "there, you, nobody, nothing" {
		t.Errorf("nobody is greeted %q", got)
	}
}

// What a stranger calls herself is not said when it is no name.
func TestTemplatesWithNamesOfPeople(t *testing.T) {
	t.Parallel()
	tp, err := handlers.ParseTemplate("{{first_name|there}}, {{name|you}}, {{user_name|nobody}}")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"evil.example/win", "@everybody", "#win", "\u202eanA", strings.Repeat("x", 31)} {
		somebody := message("")
		somebody.Conversation.Name, somebody.Conversation.User = name, name
		somebody.Event.Name, somebody.Event.User = name, name
		if got := tp.For(somebody); got != "there, you, nobody" {
			t.Errorf("%q is greeted %q", name, got)
		}
	}
}

func TestTemplateErrors(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		" ":                     "the text is empty",
		"Hi {{first_name}}":     `{{first_name}} says nothing for people of whom it is not known: write {{first_name|there}}`,
		"Hi {{first_name| }}":   `write {{first_name|there}}`,
		"Hi {{firstname|you}}":  `there is no variable "firstname": there are first_name, name, text, user_name`,
		"Hi {{first_name|you":   `"{{" without "}}"`,
		"{{text|}} {{ {x} } }}": `write {{text|there}}`,
	} {
		if _, err := handlers.ParseTemplate(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %s", text, err, want)
		}
	}
	defer func() {
		if p := fmt.Sprint(recover()); !strings.HasPrefix(p, "handlers.Say: ") {
			t.Errorf("it panicked with %v", p)
		}
	}()
	handlers.Say("{{oops}}")
}

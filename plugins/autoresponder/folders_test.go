package autoresponder_test

import (
	"log/slog"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/plugins/autoresponder"
)

// house is a bot with the accounts cafe and bar, which act by the rules of one folder, and shop, which has its own.
type house struct {
	*bottest.World
	common, own string
	phone       *phone
	cfg         *autoresponder.Config
	plugin      *autoresponder.Plugin
}

// asks is a conversation and a rule that hands over, of a folder.
func asks(of string) string {
	return "version: 1\nstatus: live\ndefaults: { limits: { per_person: 99 per 1h } }\nrules:\n" +
		"  - id: hello\n    when: message\n    if: { text: { any_word: hello } }\n    then:\n      - reply: " + of + "\n" +
		"  - id: human\n    when: message\n    if: { text: { any_word: human } }\n    then:\n      - handoff: { to: team }\n" +
		"conversations:\n  - id: talk\n    start: { when: message, if: { text: { any_word: talk } } }\n    steps:\n" +
		"      - id: " + of + "\n        ask: \"" + of + " or what?\"\n        expect: text\n        save_as: x\n        next: done\n" +
		"      - { id: done, end: completed }\n    if_silent: [{ after: 1h, goto: done }]\n    limits: { per_person: 9 per 1h }\n"
}

func settings(host string) string {
	return "version: 1\nwho: { team: [\"ntfy://" + host + "/topic\"] }\nheartbeat: https://" + host + "/beat\n"
}

func inHouse(t *testing.T, test func(h *house), known ...event.Account) {
	t.Helper()
	h := &house{
		common: folderOf(t, "10-a.yaml", asks("common"), "settings.yaml", settings("common.example")),
		own:    folderOf(t, "10-a.yaml", asks("own"), "settings.yaml", settings("own.example")),
		phone:  &phone{},
	}
	h.cfg = &autoresponder.Config{
		Path: h.common, Folders: map[event.Account]string{"shop": h.own}, Accounts: append(known, "cafe", "shop"),
		WebhookHosts: []string{"common.example", "own.example"}, Transport: h.phone, Look: 5 * time.Second,
	}
	bottest.Run(t, bottest.Config{
		Start: tuesday, Accounts: []event.Account{"cafe", "bar", "shop"},
		Bot: bot.Config{PollInterval: 5 * time.Second, Pace: &event.Pace{}},
		Plugins: func(st bot.Store, log *slog.Logger) ([]bottest.Plugin, error) {
			cfg := *h.cfg
			cfg.Log = log
			p, err := autoresponder.New(cfg, st)
			h.plugin = p
			return []bottest.Plugin{p}, err
		},
	}, func(w *bottest.World) {
		h.World = w
		test(h)
	})
}

// says lets somebody say hello to an account, and checks by which rules she is answered.
func (h *house) says(account event.Account, want string) {
	p := h.Account(account).Person("ana-" + string(account))
	p.Says("hello")
	p.Expects(want)
}

// Each account acts by the rules of its folder, and a change of one changes nothing for the others.
func TestFolders(t *testing.T) {
	t.Parallel()
	inHouse(t, func(h *house) {
		all := func(common, own string) {
			h.says("cafe", common)
			h.says("bar", common)
			h.says("shop", own)
		}
		all("common", "own")
		bo := h.Account("shop").Person("bo")
		bo.Says("talk")
		bo.Expects("own or what?")
		write(t, h.common, "10-a.yaml", asks("other"))
		h.Advance(20 * time.Second)
		all("other", "own")
		if strings.Contains(h.Log(), "a step that the rules no longer have") {
			t.Errorf("bo's step is that of another folder\n%s", h.Log())
		}
		write(t, h.own, "10-a.yaml", asks("mine"))
		h.Advance(20 * time.Second)
		all("other", "mine")
		if strings.Count(h.Log(), "a step that the rules no longer have") != 1 {
			t.Errorf("nobody is told that bo's step is gone\n%s", h.Log())
		}
		h.Crash()
		all("other", "mine")
		write(t, h.own, "10-a.yaml", "version: 1\nrules: [{ id: hello }]\n")
		h.Crash()
		all("other", "mine")
		nothingFailed(t, h.World)
	}, "bar")
}

// Without their files, at a start, too, accounts go on by what each of them had; one that has moved stays with what it had
// before, and one that is new gets what the others of its folder have.
func TestFoldersThatVanish(t *testing.T) {
	t.Parallel()
	inHouse(t, func(h *house) {
		h.says("shop", "own")
		h.Stop()
		for _, dir := range []string{h.common, h.own} {
			if err := os.Rename(dir, dir+".old"); err != nil {
				t.Fatal(err)
			}
		}
		for range 2 {
			h.Start()
			h.Advance(time.Minute)
			h.says("cafe", "common")
			h.says("bar", "common")
			h.says("shop", "own")
			h.Stop()
		}
		h.cfg.Folders = map[event.Account]string{"shop": h.own, "bar": h.own}
		h.Start()
		h.says("bar", "common")
		h.says("shop", "own")
		if err := os.Rename(h.own+".old", h.own); err != nil {
			t.Fatal(err)
		}
		h.Advance(time.Minute)
		h.says("bar", "own")
		h.says("cafe", "common")
		nothingFailed(t, h.World)
	}, "bar")
}

// A new account whose files are missing acts by what is known of its folder, and by nothing when only others are known.
func TestNewAccountWithoutFiles(t *testing.T) {
	t.Parallel()
	for folder, want := range map[string]string{"common": "common", "elsewhere": ""} {
		inHouse(t, func(h *house) {
			h.Stop()
			if err := os.Rename(h.common, h.common+".old"); err != nil {
				t.Fatal(err)
			}
			h.cfg.Accounts = append(h.cfg.Accounts, "bar")
			if folder == "elsewhere" {
				h.cfg.Folders["bar"] = h.common + ".new"
			}
			h.Start()
			h.says("cafe", "common")
			p := h.Account("bar").Person("ana-bar")
			p.Says("hello")
			if want != "" {
				p.Expects(want)
			} else {
				p.ExpectsNothing(time.Minute)
			}
			h.says("shop", "own")
			h.Stop()
			if err := os.Rename(h.common+".old", h.common); err != nil {
				t.Fatal(err)
			}
			h.Start()
			h.says("cafe", "common")
		})
	}
}

// People of a folder are called about its accounts, and about the whole bot; those of another folder are not.
func TestTeamsOfFolders(t *testing.T) {
	t.Parallel()
	inHouse(t, func(h *house) {
		h.plugin.Watch(h.Bot())
		rings := func() (common, own string) {
			h.Advance(5 * time.Minute)
			return texts(h.phone.take("common.example")), texts(h.phone.take("own.example"))
		}
		beats := func() (common, own int) {
			h.Advance(5 * time.Minute)
			return len(h.phone.take("common.example")), len(h.phone.take("own.example"))
		}
		rings()
		h.Account("shop").Person("ana").Says("human")
		if common, own := rings(); strings.Contains(common, "needs a person") || !strings.Contains(own, "Somebody needs a person: @ana (Ana) (account shop)") {
			t.Errorf("shop: %q, %q", common, own)
		}
		h.Account("bar").Person("bo").Says("human")
		if common, own := rings(); strings.Contains(own, "needs a person") || !strings.Contains(common, "Somebody needs a person: @bo (Bo) (account bar)") {
			t.Errorf("bar: %q, %q", common, own)
		}
		write(t, h.own, "10-a.yaml", "version: 1\nrules: [{ id: hello }]\n")
		if common, own := rings(); strings.Contains(common, "10-a.yaml") || !strings.Contains(own, "10-a.yaml in "+h.own) {
			t.Errorf("a broken file: %q, %q", common, own)
		}
		if common, own := beats(); common < 4 || own < 4 {
			t.Errorf("the hearts beat %d and %d times", common, own)
		}
		h.Platform().SetPassword(h.Account("shop").ID(), "changed")
		h.Platform().Revoke(h.Account("shop").ID())
		h.Advance(10 * time.Minute)
		if common, own := rings(); strings.Contains(common, "shop") || !strings.Contains(own, "The bot cannot read new messages: the platform does not answer as it should (account shop)") {
			t.Errorf("shop has no session: %q, %q", common, own)
		}
		if common, own := beats(); common < 4 || own != 0 {
			t.Errorf("shop has no session, and the hearts beat %d and %d times", common, own)
		}
	}, "bar")
}

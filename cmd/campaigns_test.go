package cmd

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/config"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/inspect"
	"github.com/nectar-bot/nectar/cmd/internal/cli"
	"github.com/nectar-bot/nectar/cmd/internal/doctor"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
	"github.com/nectar-bot/nectar/plugins/autoresponder"
	plugin "github.com/nectar-bot/nectar/plugins/campaigns"
)

// marketing is an account that runs the campaigns of its files, and the command beside it.
type marketing struct {
	*bottest.World
	t      *testing.T
	dir    string
	file   string // of the accounts; "" for none
	author platform.UserID
	posts  []platform.PostID
}

// menuOf is a campaign in a file, with as many posts as there are.
func (m *marketing) menuOf(status string) string {
	var links strings.Builder
	for _, p := range m.posts {
		fmt.Fprintf(&links, "      - link: https://social.example/thread/%d\n", p)
	}
	return fmt.Sprintf(`version: 1
name: Spring menu
status: %s

campaigns:
  - id: spring-menu
    name: Spring menu, New York
    do: repost
    timezone: America/New_York
    starts: 2027-03-13
    ends: 2027-03-15
    posts:
%s    slots:
      - Sat 09:30
      - Sat 12:45
      - Sat 16:00
      - Sun 09:30
      - Sun 12:45
      - Mon 09:30
    jitter: up to 12m
    turn: in_order
    repeat: { each_post: 2 times, gap: 20h, how: undo_then_repost }
    limits: { total: 4 per 1d, whole_campaign: 10 }
    keep_apart: 90m
    if_missed: skip
    approve: { who: marketing, at_least: 30m before, if_nobody: skip }
`, status, links.String())
}

// write puts a file into the folder of the rules.
func (m *marketing) write(name, content string) {
	m.t.Helper()
	if err := os.WriteFile(filepath.Join(m.dir, name), []byte(content), 0o600); err != nil {
		m.t.Fatal(err)
	}
}

// atMarketing runs a test on Saturday, 13 March 2027, from seven o'clock in New York: the clocks change there in the night.
func atMarketing(t *testing.T, status string, test func(m *marketing)) {
	t.Helper()
	inMarketing(t, []event.Account{"bot"}, func(m *marketing) { m.write("50-menu.yaml", m.menuOf(status)) }, test)
}

// inMarketing is atMarketing with accounts that all act by the files that prepare writes.
func inMarketing(t *testing.T, accounts []event.Account, prepare, test func(m *marketing)) {
	t.Helper()
	m := &marketing{t: t, dir: t.TempDir()}
	bottest.Run(t, bottest.Config{
		Accounts: accounts,
		Start:    time.Date(2027, time.March, 13, 12, 0, 0, 0, time.UTC), Bot: bot.Config{PollInterval: 30 * time.Minute, Pace: &event.Pace{}},
		Before: func(w *bottest.World) {
			m.World = w
			m.author = w.Platform().AddPerson(emulator.Person{Username: "partner_cafe", FirstName: "Partner"})
			for n := range 3 {
				m.posts = append(m.posts, w.Platform().Post(m.author, fmt.Sprintf("dish %d of the #springmenu", n+1)))
			}
			m.write("settings.yaml", "version: 1\nwho: { marketing: {} }\n")
			prepare(m)
		},
		Plugins: func(st bot.Store, log *slog.Logger) ([]bottest.Plugin, error) {
			p := plugin.New(plugin.Config{Store: st, Accounts: accounts, Log: log})
			p.Watch(nudges{m.World})
			files, err := autoresponder.New(autoresponder.Config{Path: m.dir, Accounts: accounts, Look: time.Minute, Log: log, InForce: p.InForce}, st)
			return []bottest.Plugin{files, p}, err
		},
	}, func(w *bottest.World) {
		m.World = w
		test(m)
	})
}

// names writes the accounts into a file of their own.
func (m *marketing) names(accounts ...string) {
	m.t.Helper()
	m.file = filepath.Join(m.t.TempDir(), "accounts.yaml")
	if err := os.WriteFile(m.file, []byte("accounts:\n  "+strings.Join(accounts, ": {}\n  ")+": {}\n"), 0o600); err != nil {
		m.t.Fatal(err)
	}
}

// nudges begins turns of the bot that is alive.
type nudges struct{ w *bottest.World }

func (n nudges) Nudge(account event.Account, name string, data any) error {
	if b := n.w.Bot(); b != nil {
		return b.Nudge(account, name, data)
	}
	return nil
}

// run runs the command beside the bot, and returns all that it prints, with its status where that is not 0.
func (m *marketing) run(command string) string {
	m.t.Helper()
	got := m.result(command)
	if got.status != 0 {
		return fmt.Sprintf("%s%sexit %d\n", got.stdout, got.stderr, got.status)
	}
	return got.stdout + got.stderr
}

func (m *marketing) result(command string) result {
	var out, err bytes.Buffer
	args := strings.Fields(strings.ReplaceAll(command, "POST1", fmt.Sprint(m.posts[0])))
	if strings.HasSuffix(command, " ") {
		args = append(args, "")
	}
	environ := []string{"NECTAR_STORE=sqlite:" + m.Database(), "NECTAR_RULES=" + m.dir}
	if m.file != "" {
		environ = append(environ, "NECTAR_ACCOUNTS="+m.file)
	}
	sh := cli.Shell{Args: args, Environ: environ, Stdin: strings.NewReader(""), Stdout: &out, Stderr: &err}
	return result{execute(context.Background(), sh), out.String(), err.String()}
}

// says fails unless a command prints all of that.
func (m *marketing) says(command string, want ...string) {
	m.t.Helper()
	got := m.run(command)
	unfolded := strings.Join(strings.Fields(got), " ") // where lines end hangs on how long the folder's name is
	for _, w := range want {
		if !strings.Contains(got, w) && !strings.Contains(unfolded, w) {
			m.t.Errorf("nectar %s does not say %q:\n%s", command, w, got)
		}
	}
}

// What became of slots, and what comes, is shown beside the bot that runs them: the plan, the list, the history, and why.
func TestCampaignsBesideTheBot(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	atMarketing(t, "live", func(m *marketing) {
		m.Advance(2*time.Hour + 35*time.Minute + 30*time.Second) // the first slot is decided, and leaves in half a minute
		m.says("campaigns", "Sat 13 Mar 09:36")
		m.says("why spring-menu@2027-03-13T09:30", "; it leaves at 09:36")
		m.Advance(33 * time.Second) // it has left, and the campaigns look at what became of it in two seconds
		m.says("why spring-menu@2027-03-13T09:30", "what became of it stands below", "done 2027-03-13")
		m.Advance(time.Hour + 23*time.Minute + 57*time.Second)
		m.Platform().DeletePost(m.author, m.posts[2])
		m.Advance(20 * time.Hour)
		var b strings.Builder
		for _, command := range []string{
			"plan --month 2027-03 --width 80", "campaigns", "campaigns show spring-menu", "why spring-menu@2027-03-13T09:30", "why spring-menu@2027-03-13T16:00",
			"why spring-menu@2027-03-15",
		} {
			fmt.Fprintf(&b, "$ nectar %s\n%s\n", command, m.run(command))
		}
		asGolden(t, "beside.txt", b.String())
		m.readsBook()
	})
}

// readsBook fails unless the book reads the same in pages of any size.
func (m *marketing) readsBook() {
	m.t.Helper()
	m.Inspect(func(d inspect.Inspector) {
		read := func(limit int) (all []plugin.Booked) {
			for after := ""; ; after = all[len(all)-1].Slot.String() {
				some, err := plugin.ReadBook(context.Background(), d, "bot", "spring-menu", after, limit)
				if err != nil {
					m.t.Fatal(err)
				}
				if len(some) == 0 {
					return all
				}
				all = append(all, some...)
			}
		}
		whole := read(1000)
		for limit := 1; limit < 4; limit++ {
			if diff := cmp.Diff(whole, read(limit)); diff != "" || len(whole) != 3 {
				m.t.Errorf("pages of %d (-whole +pages)\n%s", limit, diff)
			}
		}
	})
}

// An edit that takes something away waits: what it changes is shown, and apply does just that, when somebody says so.
func TestPlanDiffAndApply(t *testing.T) {
	t.Parallel()
	atMarketing(t, "ask", func(m *marketing) {
		m.Advance(2 * time.Minute)
		m.says("plan --diff", "nothing waits: what is saved is in force", "Nothing was changed.")
		m.says("campaigns apply", "nothing waits: what is saved is in force", "exit 1")
		was := m.menuOf("ask")
		edited := strings.NewReplacer("Sat 12:45", "Sat 13:15", "      - Sat 16:00\n", "").Replace(was)
		m.write("draft.txt", "")
		draft := filepath.Join(t.TempDir(), "50-menu.yaml")
		for name, content := range map[string]string{draft: edited, filepath.Join(filepath.Dir(draft), "settings.yaml"): "version: 1\nwho: { marketing: {} }\n"} {
			if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		shown := m.run("plan --diff --width 100 " + draft)
		m.says("plan --diff --fail-on-change "+draft, "exit 1")
		m.write("50-menu.yaml", edited)
		m.Advance(3 * time.Minute)
		waiting := m.run("plan --diff --width 100")
		asked := m.run("campaigns apply --wait 0s")
		before := m.run("plan --month 2027-03 --csv -")
		m.says("campaigns apply --yes --wait 0s", "account bot: asked for")
		m.Advance(time.Minute)
		after := m.run("plan --month 2027-03 --csv -")
		if strings.Contains(before, "13T13:15") || !strings.Contains(before, "13T16:00") || !strings.Contains(after, "13T13:15") || strings.Contains(after, "13T16:00") {
			t.Errorf("before:\n%s\nafter:\n%s", before, after)
		}
		m.says("plan --diff", "nothing waits: what is saved is in force; the last edit, of 2027-03-13", ", put in force by ", ": it moves 1, removes 1")
		asGolden(t, "diff.txt", shown+"\n"+waiting+"\n"+asked)
	})
}

// A file alone is compared with the campaigns that it has: those of other files stay. A folder stands for all of them.
func TestPlanDiffOfOneFile(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	atMarketing(t, "ask", func(m *marketing) {
		m.Advance(2 * time.Minute)
		draft := filepath.Join(t.TempDir(), "draft.yaml")
		other := "version: 1\ncampaigns:\n  - id: autumn-menu\n    do: publish\n    timezone: Europe/Lisbon\n    starts: 2027-03-15\n    ends: 2027-03-20\n    texts: [Chestnuts]\n    slots: [Tue 10:00]\n"
		if err := os.WriteFile(draft, []byte(other), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := m.run("plan --diff " + draft); !strings.Contains(got, "adds     1 ") || strings.Contains(got, "removes") || strings.Contains(got, "spring-menu is gone") {
			t.Errorf("one file:\n%s", got)
		}
		m.says("plan --diff "+filepath.Dir(draft), "campaign spring-menu is gone", "removes  5 ", "adds     1 ")
	})
}

// What people ask is looked at by what is stored, and answered in one line; the bot does it.
func TestAskingCampaigns(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	atMarketing(t, "live", func(m *marketing) {
		m.Advance(4 * time.Hour) // the first slot is over
		for _, c := range []struct{ command, want string }{
			{"campaigns pause spring-men", "there is no campaign spring-men: did you mean spring-menu?"},
			{"pause spring-menu", "spring-menu is a campaign: write nectar campaigns pause spring-menu"},
			{"resume spring-menu", "spring-menu is a campaign: write nectar campaigns resume spring-menu"},
			{"campaigns pause spring-menu --until 2027-03-01", "that is over already"},
			{"campaigns pause spring-menu --until soon", "write a day like 2027-03-20, a moment like 2027-03-20T09:00, or a time like 3d"},
			{"campaigns pause", "name one campaign"},
			{"campaigns skip", "name one slot, like spring-menu@2027-03-16T09:30; nectar plan lists them"},
			{"campaigns apply spring-menu", "apply puts the whole edit in force that waits"},
			{"plan --ics " + filepath.Join(m.dir, "nowhere", "x.ics"), "there is no folder " + filepath.Join(m.dir, "nowhere")},
			{"campaigns resume spring-menu", "spring-menu is not paused"},
			{"campaigns skip spring-menu", "write a slot like spring-menu@2027-03-16T09:30"},
			{"campaigns skip spring-menu@2027-03-14", "there are spring-menu@2027-03-14T09:30 and spring-menu@2027-03-14T12:45"},
			{"campaigns skip spring-menu@2027-03-16T09:30", "spring-menu has no slot on 2027-03-16; the next one is spring-menu@2027-03-13T12:45"},
			{"campaigns skip spring-menu@2027-03-13T09:30", "spring-menu@2027-03-13T09:30 is over: done"},
			{"campaigns move spring-menu@2027-03-14T12:45", "name a slot, and its new time, like spring-menu@2027-03-16T09:30 2027-03-17T10:15; nectar plan lists them"},
			{"campaigns move spring-menu@2027-03-14T12:45 noon", `"noon" is no time: write 2027-03-20T09:30, or 09:30 of the same day`},
			{"campaigns move spring-menu@2027-03-13T09:30 17:00", "spring-menu@2027-03-13T09:30 is over: done"},
			{"campaigns unskip spring-menu@2027-03-14T12:45", "was not taken out"},
			{"campaigns undo spring-menu 7", "spring-menu has no post 7"},
			{"campaigns undo spring-menu menu", "menu is no post: write its number, like 48121"},
			{"campaigns allow spring-menu POST1", " is not out"},
			{"campaigns show spring-men", "did you mean spring-menu?"},
			{"campaigns lst", `there is no command "lst"`},
			{"why spring-men@2027-03-14T09:30", "spring-menu?"},
			{"why spring-menu@2027-03-14T10:30", "there is no slot spring-menu@2027-03-14T10:30; there are "},
		} {
			got := m.result(c.command)
			if got.status == 0 || !strings.Contains(got.stderr, c.want) || strings.Count(got.stderr, "\n") != 1 {
				t.Errorf("nectar %s: want %q, got %+v", c.command, c.want, got)
			}
		}
		asks := func(command, want string) {
			t.Helper()
			m.says(command+" --wait 0s", "asked for")
			m.Advance(10 * time.Second)
			m.says("campaigns", want)
		}
		asks("campaigns pause spring-menu --until 3h", "paused")
		m.says("why spring-menu@2027-03-13T12:45", "will stay empty", "paused")
		asks("campaigns resume spring-menu", "live")
		asks("campaigns skip spring-menu@2027-03-13T12:56", "Sat 13 Mar 16:01") // by the minute that the plan shows
		m.says("why spring-menu@2027-03-13T12:45", "has taken this slot out")
		asks("campaigns unskip spring-menu@2027-03-13T12:45", "Sat 13 Mar 12:56")
		asks("campaigns move spring-menu@2027-03-13T16:00 12:00", "Sat 13 Mar 12:00")
		m.says("why spring-menu@2027-03-13T16:00", "12:00")
		asks("campaigns move spring-menu@2027-03-13T16:00 back", "Sat 13 Mar 12:56")
		asks("campaigns undo spring-menu POST1", "live")
		m.Advance(time.Minute)
		m.says("campaigns show spring-menu", "nectar campaigns allow spring-menu")
		if m.Platform().Reposted(m.Account("bot").ID(), m.posts[0]) {
			t.Error("the repost was not taken back")
		}
		asks("campaigns allow spring-menu POST1", "live")
		if got := m.run("campaigns show spring-menu"); strings.Contains(got, "OUT") {
			t.Errorf("the post is out:\n%s", got)
		}
		m.says("__complete campaigns pause ", "spring-menu\n")
		m.Stop()
		m.says("campaigns pause spring-menu", "no bot runs on", "it is done when one starts")
		m.says("campaigns", "paused", "spring-menu is paused", "waits for a bot to start: spring-menu is paused", "the plan has it already")
		m.says("campaigns show spring-menu", "spring-menu is paused: its slots pass")
		m.says("campaigns --json", `"status":"paused"`, `"asked":[{"asked":"pause","of":"spring-menu"`, `"planned":true`)
		m.says("why spring-menu@2027-03-14T12:45", "will stay empty", "paused")
		m.Start()
		m.Advance(time.Minute)
		m.says("campaigns", "paused")
		m.says("campaigns --json", `"status":"paused"`)
		m.says("campaigns show spring-menu --json", `"posts":[`, `"slots":[`)
		m.says("why spring-menu@2027-03-13T09:30 --json", `"told":"done: repost`, `"actions":[`)
	})
}

// What waits for approval is shown with its slot, and with the words of the post as they were read.
func TestApprovingSlots(t *testing.T) {
	t.Parallel()
	atMarketing(t, "ask", func(m *marketing) {
		m.Advance(2 * time.Minute)
		m.says("outbox --needs-approval", "the slot spring-menu@2027-03-13T09:30, where the post says \"dish 1 of the #springmenu\"", "leaves at 2027-03-13 14:36:00", "needs approval until 2027-03-13 14:00:00")
		m.says("outbox --campaign spring-menu", "spring-menu@2027-03-13T12:45")
		out := m.run("outbox")
		if first, second := strings.Index(out, "slot spring-menu@2027-03-13T09:30"), strings.Index(out, "slot spring-menu@2027-03-13T12:45"); first < 0 || second < first {
			t.Errorf("the slots are not in their order:\n%s", out)
		}
		m.says("outbox --campaign other", `nothing of the campaign "other"`)
		m.says("outbox approve --all --campaign spring-menu --wait 0s", "the slot spring-menu@2027-03-13T09:30, where the post says", "asked for")
		m.Advance(time.Minute)
		m.says("plan --month 2027-03", "approved")
		m.says("why spring-menu@2027-03-13T09:30", "it is approved", "it waits until 2027-03-13 14:36:00", "due 2027-03-13 14:36:00, to leave before 2027-03-13 14:38:00")
		m.says("outbox", "due    2027-03-13 12:02:01  2027-03-13 14:36:00  2027-03-13 14:38:00", "for spring-menu@2027-03-13T09:30")
	})
}

// What an account has published is counted as its budget counts it: whoever decided it.
func TestDoctorCountsWhatRulesPublish(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	atMarketing(t, "live", func(m *marketing) {
		m.write("60-mentions.yaml", "version: 1\nstatus: live\nrules:\n  - id: pass-on\n    when: mention\n    then:\n      - repost: the_post\n    limits: { per_person: 5 per 1d }\n")
		m.Advance(2 * time.Minute)
		m.Person("leo").Mentions("lovely place")
		m.Advance(3 * time.Hour) // it is reposted, and so is the post of the first slot
		d := doctor.Doctor{Out: io.Discard}
		d.InForce(context.Background(), config.Config{Store: config.StoreFile(m.Database()), Accounts: []config.Account{{Name: "bot"}}},
			[]config.RuleFolder{{Path: m.dir, Accounts: []event.Account{"bot"}}}, time.Now())
		for _, f := range d.Found.Findings {
			if f.Check == "publishing" && !strings.HasSuffix(f.Said, "published in the last 1d, by campaigns, rules and programs: 2") {
				t.Errorf("%+v", f)
			}
		}
	})
}

// A campaign that an edit gives to another account is shown on both sides as what waits, and one apply lets it move.
func TestPlanDiffOfAMove(t *testing.T) {
	t.Parallel()
	of := func(m *marketing, account string) string {
		return strings.Replace(m.menuOf("live"), "do: repost", "do: repost\n    account: "+account, 1)
	}
	inMarketing(t, []event.Account{"bot", "cafe"}, func(m *marketing) {
		m.names("bot", "cafe")
		m.write("50-menu.yaml", of(m, "bot"))
	}, func(m *marketing) {
		m.Advance(2 * time.Minute)
		m.write("50-menu.yaml", of(m, "cafe"))
		m.Advance(2 * time.Minute)
		m.says("plan --diff --width 200", "account bot: an edit waits since", "removes  5",
			"account cafe: comes from the account bot, and begins here when the edit that waits there is in force: nectar campaigns apply.", "adds     5")
		m.says("campaigns apply --yes --wait 0s", "account bot: asked for")
		m.Advance(time.Minute)
		m.says("plan --diff", "account cafe: nothing waits: what is saved is in force")
		m.says("campaigns --account cafe", "spring-menu  live")
	})
}

// A replay tells honestly what it can of campaigns: which slots that are over stand in the files, and what these change.
func TestReplayOfCampaigns(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	atMarketing(t, "live", func(m *marketing) {
		m.Advance(7 * time.Hour)
		m.says("replay --fail-on-change "+m.dir, "slots that are over cannot be decided again", "Of 2 slots since ", "2 stand in these files.", "no slot changes")
		m.write("50-menu.yaml", strings.NewReplacer("Sat 12:45", "Sat 13:15", "Sun 12:45", "Sun 13:15").Replace(m.menuOf("live")))
		m.says("replay --fail-on-change "+m.dir, "; 1 do not:", "spring-menu@2027-03-13T12:45; 1 stand there that did not come", "Sun 14 Mar 12:46 → 13:25", "exit 1")
		m.says("replay --json "+m.dir, `"campaigns":"bot"`, `"gone":["spring-menu@2027-03-13T12:45"]`, `"change":"move"`, `"summary":`)
	})
}

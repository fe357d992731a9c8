//go:build unix

package cmd

import (
	"os"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/config"
	"github.com/nectar-bot/nectar/cmd/internal/cli"
	"github.com/nectar-bot/nectar/platform/emulator/script"
)

// documented returns the lines of an example of operating/postgres.md, from one that begins so to the next one without an indent.
func documented(t *testing.T, begin string) string {
	t.Helper()
	page, err := os.ReadFile("../docs/operating/postgres.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(page), "\n    "+begin)
	if !found {
		t.Fatalf("docs/operating/postgres.md has no example that begins with %q", begin)
	}
	var example strings.Builder
	for line := range strings.Lines("    " + begin + rest) {
		if strings.TrimSpace(line) != "" && !strings.HasPrefix(line, "    ") {
			break
		}
		example.WriteString(strings.TrimPrefix(line, "    "))
	}
	return example.String()
}

// TestRolesOfADatabase: what operating/postgres.md grants is enough for workers, and for whoever looks alone; more than that neither can do.
func TestRolesOfADatabase(t *testing.T) {
	t.Parallel()
	p := newPractice(t)
	p.does(0, p.name+" was made\n", "migrate")
	grants := strings.NewReplacer("SCHEMA public", "SCHEMA "+p.server.name, "nectar_", p.server.name+"_").Replace(documented(t, "CREATE ROLE nectar_worker"))
	if err := p.server.Exec(t.Context(), grants); err != nil {
		t.Fatal(err)
	}
	as := func(role string) []string {
		environ := slices.Clone(p.environ)
		for i, v := range environ {
			environ[i] = strings.Replace(v, "bot:"+hunter3+"@", p.server.name+"_"+role+":"+hunter3+"@", 1)
		}
		return environ
	}
	worker, reader := as("worker"), as("reader")
	writeEnv(t, p.dir, worker)
	bot := p.run()
	if err := script.Play(soon(t), p.platform, script.Script{Account: p.me, Steps: []script.Step{script.Actor("ana").Says("are you open?"), script.Actor("ana").Expects(openHours)}}); err != nil {
		t.Errorf("%v\n%s", err, bot)
	}
	p.environ = worker
	p.does(0, "paused", "pause", "parking")
	p.environ = reader
	for _, c := range []struct{ command, says string }{
		{"status", "all is well with "},
		{"events", "opening-hours"},
		{"outbox", "nothing is to be done"},
		{"workers", "up"},
		{"conversations show @ana", openHours},
		{"why message:502", openHours},
		{"accounts", "working"},
		{"summary", "1 message done"},
		{"notices", "nobody was called"},
		{"lists", "on any list"},
		{"export @ana", "are you open?"},
	} {
		p.does(0, c.says, strings.Fields(c.command)...)
	}
	const may = "this user may not do that: use the one that the tables belong to, or that workers use"
	p.does(cli.ExitFailed, may, "resume", "parking")
	p.does(cli.ExitFailed, "the database only reads", "workers", "drain", "bot", "--why", "a try")
	bot.Stop()
}

// TestGraceOfAPod: what operating/postgres.md gives a worker to stop in is ten seconds more than it waits for others by default.
func TestGraceOfAPod(t *testing.T) {
	t.Parallel()
	field, _ := reflect.TypeFor[config.Config]().FieldByName("StopPatience")
	patience, err := time.ParseDuration(field.Tag.Get("envDefault"))
	if err != nil {
		t.Fatal(err)
	}
	manifest := documented(t, "spec:")
	grace := regexp.MustCompile(`terminationGracePeriodSeconds: (\d+)`).FindStringSubmatch(manifest)
	if grace == nil || grace[1] != strconv.Itoa(int((patience+10*time.Second).Seconds())) {
		t.Errorf("the grace is %v, and the patience %v", grace, patience)
	}
	for _, path := range []string{"/healthz", "/readyz", "NECTAR_WORKER", "NECTAR_METRICS"} {
		if !strings.Contains(manifest, path) {
			t.Errorf("the example has no %s", path)
		}
	}
}

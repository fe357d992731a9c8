package config_test

import (
	"encoding/base64"
	"encoding/hex"
	"log/slog"
	"math"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/config"
	"github.com/nectar-bot/nectar/platform"
)

// signIn are the variables that every account needs.
var signIn = []string{
	"NECTAR_BASE_URL=https://social.example/mobile_api",
	"NECTAR_EMAIL=bot@social.example",
	"NECTAR_PASSWORD=" + hunter2,
}

// defaultAccount is the account of signIn.
func defaultAccount() config.Account {
	return config.Account{
		Name: "main", BaseURL: "https://social.example/mobile_api", Email: "bot@social.example", Password: hunter2,
		DeviceType: "android", PollInterval: 5 * time.Second, Backlog: "skip", Pace: 1, Concurrency: 2, Rules: "rules", State: "on",
	}
}

func TestDefaults(t *testing.T) {
	cfg, wrong := load(t, world{environ: signIn}, withAccounts)
	if wrong != "" {
		t.Fatal(wrong)
	}
	want := config.Config{
		Accounts: []config.Account{defaultAccount()},
		Store:    "nectar.db", Rules: "rules", State: "on", LogLevel: slog.LevelInfo, LogFormat: "text",
		Ceiling: bot.DefaultCeiling(), Takeover: 12 * time.Hour,
		Retention: 90 * 24 * time.Hour, ListLimit: 256 << 20,
		Presets: map[string]string{"base_url": "https://social.example/mobile_api"}, StopPatience: 30 * time.Second, FirstSignIns: 1,
	}
	if diff := cmp.Diff(want, cfg); diff != "" {
		t.Error(diff)
	}
}

func TestEveryVariableIsRead(t *testing.T) {
	key := hex.EncodeToString([]byte(strings.Repeat("k", 32)))
	cfg, wrong := load(t, world{
		files: map[string]string{"more-rules": ""},
		environ: []string{
			"NECTAR_BASE_URL=http://social.example/mobile_api/", "NECTAR_ALLOW_PLAIN_HTTP=true",
			"NECTAR_FIRST_SIGN_INS=30/m", "NECTAR_HOST_RATE=6000/m",
			"NECTAR_OAUTH_TYPE=google", "NECTAR_OAUTH_TOKEN= token with spaces ", "NECTAR_DEVICE_TYPE=ios",
			"NECTAR_POLL_INTERVAL= 50ms ", "NECTAR_BACKLOG=unread", "NECTAR_PACE=unlimited", "NECTAR_CONCURRENCY=32",
			"NECTAR_STORE=sqlite:/var/lib/nectar/bot.db", "NECTAR_SECRET_KEY=" + key,
			"NECTAR_RULES=more-rules", "NECTAR_STATE=paused", "NECTAR_LOG_LEVEL=debug", "NECTAR_LOG_FORMAT=json", "NECTAR_METRICS=:9464",
			"NECTAR_CEILING=5/1h", "NECTAR_TAKEOVER=none", "NECTAR_RETENTION=7d", "NECTAR_LIST_LIMIT=1GiB",
			"NECTAR_WEBHOOK_HOSTS=Hooks.example.org, [::1]:8443 ", "NECTAR_METRICS_HOSTS=Nectar.example.org",
			"NECTAR_WORKER=bot-1", "NECTAR_STOP_PATIENCE=1m", "NECTAR_OTHER=is left alone",
		},
	}, withAccounts)
	if wrong != "" {
		t.Fatal(wrong)
	}
	want := config.Config{
		Accounts: []config.Account{{
			Name: "main", BaseURL: "http://social.example/mobile_api/", AllowPlainHTTP: true,
			OAuthType: "google", OAuthToken: " token with spaces ", DeviceType: "ios",
			PollInterval: 50 * time.Millisecond, Backlog: "unread", Pace: math.Inf(1), Concurrency: 32, Rules: "more-rules", State: "paused",
		}},
		Store: "/var/lib/nectar/bot.db", SecretKey: platform.Secret(key), Rules: "more-rules", State: "paused",
		WebhookHosts: []string{"hooks.example.org", "[::1]:8443"}, MetricsHosts: []string{"nectar.example.org"},
		Ceiling: bot.Ceiling{Max: 5, Within: time.Hour}, Takeover: -1, Retention: 7 * 24 * time.Hour,
		ListLimit: 1 << 30, LogLevel: slog.LevelDebug, LogFormat: "json", Metrics: ":9464",
		Worker: "bot-1", StopPatience: time.Minute, HostRate: 100, FirstSignIns: 0.5, Misspelt: config.Problems{"NECTAR_OTHER: there is no such variable"},
		Presets: map[string]string{
			"base_url": "http://social.example/mobile_api/", "allow_plain_http": "true", "device_type": "ios", "poll_interval": "50ms",
			"backlog": "unread", "pace": "unlimited", "concurrency": "32", "rules": "more-rules", "state": "paused",
		},
	}
	if diff := cmp.Diff(want, cfg); diff != "" {
		t.Error(diff)
	}
	if !math.IsInf(cfg.Accounts[0].Pace, 1) {
		t.Error("the pace is limited")
	}
}

func TestSecretKeyInBase64(t *testing.T) {
	key := base64.StdEncoding.EncodeToString([]byte(strings.Repeat("\xff", 32)))
	cfg, wrong := load(t, world{environ: []string{"NECTAR_SECRET_KEY=" + key}}, withoutAccounts)
	if wrong != "" || cfg.SecretKey.Reveal() != key {
		t.Errorf("the key is another one: %s", wrong)
	}
}

func TestHostRates(t *testing.T) {
	for text, want := range map[string]float64{"200/s": 200, "6000/m": 100, "unlimited": 0, "": 0} {
		cfg, wrong := load(t, world{environ: append([]string{"NECTAR_HOST_RATE=" + text}, signIn...)}, withAccounts)
		if wrong != "" || cfg.HostRate != want {
			t.Errorf("%q: got %v, %s", text, cfg.HostRate, wrong)
		}
		if b := cfg.Bot(slog.New(slog.DiscardHandler)).Budget; (b != nil) != (want > 0) || b != nil && b.Rate() != float64(want) {
			t.Errorf("%q: a bot gets %v", text, b)
		}
	}
	if _, wrong := load(t, world{environ: append([]string{"NECTAR_HOST_RATE=0/s"}, signIn...)}, withAccounts); !strings.Contains(wrong, "NECTAR_HOST_RATE") {
		t.Errorf("got %q", wrong)
	}
}

func TestPaces(t *testing.T) {
	for text, want := range map[string]float64{"1/s": 1, "20/s": 20, "30/m": 0.5, "1800/h": 0.5, "": 1} {
		environ := append([]string{"NECTAR_PACE=" + text}, signIn...)
		cfg, wrong := load(t, world{environ: environ}, withAccounts)
		if wrong != "" || cfg.Accounts[0].Pace != want {
			t.Errorf("%q: got %v, %s", text, cfg.Accounts, wrong)
		}
	}
}

func TestWrongValues(t *testing.T) {
	const key = " (example: NECTAR_SECRET_KEY=<output of: openssl rand -base64 32>)"
	const url = " (example: NECTAR_BASE_URL=https://social.example/mobile_api)"
	const hosts = "is not a list of hosts with commas between them, without https:// and what follows the host" +
		" (example: NECTAR_WEBHOOK_HOSTS=hooks.example.org,chat.example.org)"
	const store = " (example: NECTAR_STORE=sqlite:nectar.db)"
	const notURL = "is no URL such as postgres://USER:PASSWORD@HOST:5432/DATABASE (a password with signs such as / @ # ? has to be percent-encoded)"
	for setting, want := range map[string]string{
		"BASE_URL=social.example/mobile_api":              "is not an address that begins with https://" + url,
		"BASE_URL=https://":                               "is not an address that begins with https://" + url,
		"BASE_URL=https://bot:hunter2@social.example/a":   "has a user name or password in it; they have variables of their own" + url,
		"BASE_URL=https://bot:hunter2@social.example:a/b": "is not an address that begins with https://" + url,
		"BASE_URL=https://social.example/mobile_api?id=1": `ends in "?" or "#" and more; cut it there` + url,
		"BASE_URL=https://social.example/":                "has no path; it ends with the part that names the mobile API" + url,
		"BASE_URL=http://social.example/mobile_api":       "would send the password unencrypted; use https, or set NECTAR_ALLOW_PLAIN_HTTP to true" + url,
		"EMAIL=bot": `"bot" is not an e-mail address (example: NECTAR_EMAIL=bot@social.example)`,
		"BASE_URL=https://social.example:99999/mobile_api":                    "has a host or a port that there cannot be" + url,
		"BASE_URL=https://social.example:0/mobile_api":                        "has a host or a port that there cannot be" + url,
		"BASE_URL=https://social..example/mobile_api":                         "has a host or a port that there cannot be" + url,
		"BASE_URL=https://-social.example/mobile_api":                         "has a host or a port that there cannot be" + url,
		"BASE_URL=https://social,example/mobile_api":                          "has a host or a port that there cannot be" + url,
		"BASE_URL=https://" + strings.Repeat("a", 64) + ".example/mobile_api": "has a host or a port that there cannot be" + url,
		"PASSWORD= ":              "is not one line of text (example: NECTAR_PASSWORD='correct horse')",
		"PASSWORD=hunter2\n":      "is not one line of text (example: NECTAR_PASSWORD='correct horse')",
		"OAUTH_TOKEN=hunter2\r\n": "is not one line of text (example: NECTAR_OAUTH_TOKEN='token of the provider')",
		"OAUTH_TYPE=Google Inc.":  `"Google Inc." is not the name of a sign-in provider in lower-case letters (example: NECTAR_OAUTH_TYPE=google)`,
		"DEVICE_TYPE=nokia":       `"nokia" is not android or ios (example: NECTAR_DEVICE_TYPE=android)`,
		"ALLOW_PLAIN_HTTP=yes":    `"yes" is not true or false (example: NECTAR_ALLOW_PLAIN_HTTP=true)`,
		"POLL_INTERVAL=5":         `"5" is not a duration from 50ms to 1h (example: NECTAR_POLL_INTERVAL=5s)`,
		"POLL_INTERVAL=49ms":      `"49ms" is not a duration from 50ms to 1h (example: NECTAR_POLL_INTERVAL=5s)`,
		"POLL_INTERVAL=2h":        `"2h" is not a duration from 50ms to 1h (example: NECTAR_POLL_INTERVAL=5s)`,
		"BACKLOG=all":             `"all" is not skip or unread (example: NECTAR_BACKLOG=skip)`,
		"PACE=fast":               "is not a pace like 1/s, 30/m, 500/h or unlimited (example: NECTAR_PACE=20/s)",
		"PACE=0/s":                "is not a pace like 1/s, 30/m, 500/h or unlimited (example: NECTAR_PACE=20/s)",
		"PACE=5":                  "is not a pace like 1/s, 30/m, 500/h or unlimited (example: NECTAR_PACE=20/s)",
		"CEILING=0/10m":           "is not a ceiling like 100/1h, 20/10m or none (example: NECTAR_CEILING=100/1h)",
		"CEILING=20":              "is not a ceiling like 100/1h, 20/10m or none (example: NECTAR_CEILING=100/1h)",
		"RETENTION=6d":            "is not a time from 7d to 36500d, or forever (example: NECTAR_RETENTION=90d)",
		"WORKER=bot 1":            `"bot 1" is not a name of letters, digits, - and _ (example: NECTAR_WORKER=bot-1)`,
		"STOP_PATIENCE=1ms":       `"1ms" is not a duration from 1s to 1h (example: NECTAR_STOP_PATIENCE=30s)`,
		"LIST_LIMIT=500KB":        "is not a size from 1MiB to 64GiB (example: NECTAR_LIST_LIMIT=256MiB)",
		"LIST_LIMIT=much":         "is not a size from 1MiB to 64GiB (example: NECTAR_LIST_LIMIT=256MiB)",
		"LIST_LIMIT=1TiB":         "is not a size from 1MiB to 64GiB (example: NECTAR_LIST_LIMIT=256MiB)",
		"RETENTION=12w":           "is not a time from 7d to 36500d, or forever (example: NECTAR_RETENTION=90d)",
		"WEBHOOK_HOSTS=https://hooks.example.org":     hosts,
		"WEBHOOK_HOSTS=a.example.org,":                hosts,
		"WEBHOOK_HOSTS=bot:hunter2@a.example.org":     hosts,
		"WEBHOOK_HOSTS=*.example.org":                 hosts,
		"WEBHOOK_HOSTS=ntfy.sh:0":                     hosts,
		"WEBHOOK_HOSTS=ntfy.sh:":                      hosts,
		"WEBHOOK_HOSTS=ntfy.sh:65536":                 hosts,
		"WEBHOOK_HOSTS=ntfy!sh":                       hosts,
		"TAKEOVER=forever":                            "is not a time from 1m to 8760h, or none (example: NECTAR_TAKEOVER=12h)",
		"PACE=5/day":                                  "is not a pace like 1/s, 30/m, 500/h or unlimited (example: NECTAR_PACE=20/s)",
		"CONCURRENCY=0":                               `"0" is not a whole number from 1 to 256 (example: NECTAR_CONCURRENCY=2)`,
		"CONCURRENCY=257":                             `"257" is not a whole number from 1 to 256 (example: NECTAR_CONCURRENCY=2)`,
		"CONCURRENCY=many":                            `"many" is not a whole number from 1 to 256 (example: NECTAR_CONCURRENCY=2)`,
		"STORE=postgres://bot:hunter2@db:port/nectar": notURL + store,
		"STORE=postgres:bot:hunter2@db/nectar":        notURL + store,
		"STORE=postgres://bot:hunter2@db/nectar?sslrootcert=/nowhere/hunter2": "names a file that cannot be read: see its sslrootcert, sslcert or sslkey" + store,
		"STORE=nectar.db":                                `begins neither with "sqlite:" nor with "postgres://"` + store,
		"STORE=sqlite:":                                  "names no file" + store,
		"STORE=sqlite:///nectar.db":                      `has "//" before the path; write the path right after "sqlite:"` + store,
		"SECRET_KEY=hunter2":                             "is not 32 bytes in base64 or hex" + key,
		"SECRET_KEY=" + strings.Repeat("hunter2", 8):     "is not 32 bytes in base64 or hex" + key,
		"LOG_LEVEL=loud":                                 `"loud" is not debug, info, warn or error (example: NECTAR_LOG_LEVEL=info)`,
		"LOG_FORMAT=" + strings.Repeat("x", 70):          `"` + strings.Repeat("x", 60) + `…" is not text or json (example: NECTAR_LOG_FORMAT=text)`,
		"METRICS=9464":                                   `"9464" is not a host and a port (example: NECTAR_METRICS=127.0.0.1:9464)`,
		"METRICS=http://bot:hunter2@127.0.0.1:9464":      `is not a host and a port (example: NECTAR_METRICS=127.0.0.1:9464)`,
		"METRICS=bot:hunter2@127.0.0.1:9464":             `is not a host and a port (example: NECTAR_METRICS=127.0.0.1:9464)`,
		"METRICS=hunter2@127.0.0.1:9464":                 `is not a host and a port (example: NECTAR_METRICS=127.0.0.1:9464)`,
		"RULES=https://bot:hunter2@social.example/rules": `is not a file or folder (example: NECTAR_RULES=rules)`,
		"RULES=store:bot:hunter2@social.example":         `names no published set: a name has at most 32 lower-case letters, digits, - and _, as in store:shop (example: NECTAR_RULES=rules)`,
		"STATE=off":                                      `"off" is not on or paused (example: NECTAR_STATE=paused)`,
		"LOG_FORMAT=bot:hunter2@json":                    `is not text or json (example: NECTAR_LOG_FORMAT=text)`,
		"METRICS_HOSTS=bot:hunter2@a.example.org":        strings.Replace(hosts, "WEBHOOK_HOSTS=hooks.example.org,chat.example.org", "METRICS_HOSTS=nectar.example.org", 1),
		"METRICS=localhost:prometheus":                   `"localhost:prometheus" is not a host and a port (example: NECTAR_METRICS=127.0.0.1:9464)`,
		"LOG_FORMAT=a\nb":                                `"a\nb" is not text or json (example: NECTAR_LOG_FORMAT=text)`,
	} {
		t.Run(setting, func(t *testing.T) {
			name, _, _ := strings.Cut(setting, "=")
			_, wrong := load(t, world{environ: []string{"NECTAR_" + setting}}, withoutAccounts)
			line := "NECTAR_" + name + ": " + want + "\n"
			if diff := cmp.Diff(line, wrong); diff != "" {
				t.Error(diff)
			}
			if strings.Contains(wrong, hunter2) {
				t.Error("the secret is repeated")
			}
		})
	}
}

func TestWhatASignInNeeds(t *testing.T) {
	const (
		noURL      = "NECTAR_BASE_URL: is missing (example: NECTAR_BASE_URL=https://social.example/mobile_api)\n"
		noEmail    = "NECTAR_EMAIL: is missing (example: NECTAR_EMAIL=bot@social.example)\n"
		noPassword = "NECTAR_PASSWORD: is missing (example: NECTAR_PASSWORD='correct horse')\n"
		noType     = "NECTAR_OAUTH_TYPE: is missing (example: NECTAR_OAUTH_TYPE=google)\n"
		noToken    = "NECTAR_OAUTH_TOKEN: is missing (example: NECTAR_OAUTH_TOKEN='token of the provider')\n"
		twoWays    = "NECTAR_OAUTH_TOKEN: stands beside an e-mail address or a password; keep one way to sign in" +
			" (example: NECTAR_OAUTH_TOKEN='token of the provider')\n"
		badPace = "NECTAR_PACE: is not a pace like 1/s, 30/m, 500/h or unlimited (example: NECTAR_PACE=20/s)\n"
	)
	for name, tc := range map[string]struct {
		environ []string
		want    string
	}{
		"nothing":             {nil, noURL + noEmail + noPassword},
		"nothing, and worse":  {[]string{"NECTAR_PACE=fast"}, noURL + noEmail + noPassword + badPace},
		"empty is missing":    {[]string{"NECTAR_BASE_URL=", "NECTAR_EMAIL=", "NECTAR_PASSWORD="}, noURL + noEmail + noPassword},
		"no password":         {signIn[:2], noPassword},
		"half a social one":   {[]string{signIn[0], "NECTAR_OAUTH_TOKEN=x"}, noType},
		"the other half":      {[]string{signIn[0], "NECTAR_OAUTH_TYPE=google"}, noToken},
		"two ways":            {append([]string{"NECTAR_OAUTH_TYPE=google", "NECTAR_OAUTH_TOKEN=x"}, signIn...), twoWays},
		"on this machine":     {append([]string{"NECTAR_BASE_URL=http://127.0.0.1:8080/mobile_api"}, signIn[1:]...), ""},
		"on this machine, v6": {append([]string{"NECTAR_BASE_URL=http://[::1]:8080/mobile_api"}, signIn[1:]...), ""},
		"localhost":           {append([]string{"NECTAR_BASE_URL=http://localhost/mobile_api"}, signIn[1:]...), ""},
	} {
		t.Run(name, func(t *testing.T) {
			_, wrong := load(t, world{environ: tc.environ}, withAccounts)
			if diff := cmp.Diff(tc.want, wrong); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestEnvExampleAgrees(t *testing.T) {
	src, err := os.ReadFile("../../.env.example")
	if err != nil {
		t.Fatal(err)
	}
	variable := regexp.MustCompile(`(?m)^(# [^\n]{10,}\.?)\n(# )?(NECTAR_[A-Z_]+)=(.*)$`)
	var listed []config.Variable
	for _, m := range variable.FindAllStringSubmatch(string(src), -1) {
		listed = append(listed, config.Variable{Name: m[3], Preset: m[4]})
	}
	if diff := cmp.Diff(config.Declared(), listed); diff != "" {
		t.Errorf("the variables of Account and Config differ from .env.example (-code +file):\n%s", diff)
	}
	if got := strings.Count(string(src), "NECTAR_"); got != len(listed) {
		t.Errorf("%d variables have no line of explanation before them", got-len(listed))
	}
}

func TestEnvExampleWorks(t *testing.T) {
	src, err := os.ReadFile("../../.env.example")
	if err != nil {
		t.Fatal(err)
	}
	text := string(src)
	for _, v := range config.Declared() {
		if v.Preset != "" {
			text = strings.Replace(text, "# "+v.Name+"=", v.Name+"=", 1)
		}
	}
	cfg, wrong := load(t, world{files: map[string]string{".env": text}, environ: signIn}, withAccounts)
	if wrong != "" {
		t.Fatal(wrong)
	}
	if diff := cmp.Diff([]config.Account{defaultAccount()}, cfg.Accounts); diff != "" {
		t.Error(diff)
	}
}

// What is kept for ever can be said in two ways.
func TestRetentionForEver(t *testing.T) {
	for _, text := range []string{"forever", "0"} {
		cfg, wrong := load(t, world{environ: append([]string{"NECTAR_RETENTION=" + text}, signIn...)}, withAccounts)
		if wrong != "" || cfg.Retention != 0 {
			t.Errorf("%s: %v %s", text, cfg.Retention, wrong)
		}
	}
}

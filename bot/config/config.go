package config

import (
	"encoding/base64"
	"encoding/hex"
	"log/slog"
	"net"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/platform"
)

// Config is what the environment, .env and the accounts file say, checked. Load makes it.
type Config struct {
	Accounts []Account `env:"-"` // the file's in its order, or the one of the variables

	AccountsFile string          `env:"ACCOUNTS" want:"a YAML file" example:"accounts.yaml"`
	Store        StoreFile       `env:"STORE" envDefault:"sqlite:nectar.db" want:"a store" example:"sqlite:nectar.db"`
	SecretKey    platform.Secret `env:"SECRET_KEY" want:"32 bytes in base64 or hex" example:"<output of: openssl rand -base64 32>"`
	// ForgetSealed is that of bot.StoreOptions; it has no variable.
	ForgetSealed bool   `env:"-"`
	NoBot        bool   `env:"-"` // the process only looks after the store; see bot.StoreOptions
	Rules        string `env:"-"` // of accounts that say nothing else, see Account.Rules
	State        string `env:"-"` // as well, see Account.State
	// Presets are what the variables say about accounts that do not say it themselves, by the names of settings: for those that do
	// not stand in the accounts file. None of it signs in.
	Presets      map[string]string `env:"-"`
	WebhookHosts []string          `env:"WEBHOOK_HOSTS" as:"hosts" want:"a list of hosts" example:"hooks.example.org,chat.example.org"`
	Ceiling      bot.Ceiling       `env:"CEILING" as:"ceiling" preset:"100/1h" want:"a ceiling" example:"100/1h"`
	Takeover     time.Duration     `env:"TAKEOVER" as:"takeover" preset:"12h" want:"a time or none" example:"12h"`      // below 0 the bot does not mind that a person of ours wrote
	Retention    time.Duration     `env:"RETENTION" as:"retention" preset:"90d" want:"a time or forever" example:"90d"` // 0 is for ever
	ListLimit    int64             `env:"LIST_LIMIT" as:"size" preset:"256MiB" want:"a size" example:"256MiB"`
	LogLevel     slog.Level        `env:"LOG_LEVEL" envDefault:"info" want:"debug, info, warn or error" example:"info"`
	LogFormat    string            `env:"LOG_FORMAT" envDefault:"text" want:"text or json" example:"text"`
	Metrics      string            `env:"METRICS" want:"a host and a port" example:"127.0.0.1:9464"` // '' is off
	MetricsHosts []string          `env:"METRICS_HOSTS" as:"hosts" want:"a list of hosts" example:"nectar.example.org"`
	// Worker is the name of this process among those that share a database of PostgreSQL; '' is that of the machine, see WorkerName.
	Worker       string        `env:"WORKER" want:"a name of letters, digits, - and _" example:"bot-1"`
	StopPatience time.Duration `env:"STOP_PATIENCE" envDefault:"30s" want:"a duration from 1s to 1h" example:"30s"`
	// HostRate is how many requests a second each host of the platform gets, from all workers together; 0 is unlimited.
	HostRate float64 `env:"HOST_RATE" as:"rate" preset:"unlimited" want:"a pace" example:"200/s"`
	// FirstSignIns is how many accounts that have never signed in may do so a second, at each host of the platform; +Inf is unlimited.
	FirstSignIns float64 `env:"FIRST_SIGN_INS" as:"pace" preset:"1/s" want:"a pace" example:"5/s"`
	// Variables are all others, by name: settings.yaml may ask for what is secret by ${NAME}. nil for none.
	Variables map[string]platform.Secret `env:"-"`
	// Misspelt has a line for each variable of the environment that begins like ours, and is none: not refused, since it may be there for
	// another reason.
	Misspelt Problems `env:"-"`
}

// Lookup returns a variable that is none of nectar's own, or the text of the file that NAME_FILE names.
func (c Config) Lookup(name string) (string, bool) {
	return lookUp(name, func(name string) (string, bool) {
		v, ok := c.Variables[name]
		return v.Reveal(), ok
	})
}

// others are the variables that are none of nectar's own.
func others(vars map[string]string) map[string]platform.Secret {
	var all map[string]platform.Secret
	for name, value := range vars {
		if strings.HasPrefix(name, envPrefix) {
			continue
		}
		if all == nil {
			all = map[string]platform.Secret{}
		}
		all[name] = platform.Secret(value)
	}
	return all
}

const (
	envPrefix   = "NECTAR_"
	mainAccount = "main"
)

// Source says where settings come from.
type Source struct {
	// Environ are variables as "NAME=value". Defaults to those of the process.
	Environ []string
	// EnvFile is a file of variables, which must exist; the variables of Environ win, also empty
	// ones. Defaults to .env in the working directory, which need not exist.
	EnvFile string
	// Accounts asks for Config.Accounts: what is needed to sign in must be there. Without it the
	// accounts file is not opened.
	Accounts bool
}

// Load reads and checks all settings. The error is of type Problems.
func Load(src Source) (Config, error) {
	vars, wrong := src.readVariables()
	if len(wrong) > 0 {
		return Config{}, wrong
	}
	f := newForm(vars)
	acc := Account{Name: mainAccount}
	var cfg Config
	f.fillFields(&acc)
	f.fillFields(&cfg)
	cfg.Misspelt = src.findMisspelt()
	cfg.Variables, cfg.Rules, cfg.State, cfg.Presets = others(vars), acc.Rules, acc.State, presetsOf(f)
	acc.check(f)
	cfg.check(f)
	switch {
	case !src.Accounts:
	case cfg.AccountsFile == "":
		acc.checkSignIn(f)
		cfg.Accounts = []Account{acc}
	case cfg.AccountsInStore():
		refuseBeside(f, vars, "; nectar accounts add brings it into the database")
	default:
		refuseBeside(f, vars, "; move it into that file")
		var entries []Entry
		entries, wrong = readAccounts(cfg.AccountsFile, vars, presetsOf(f))
		for i := range entries {
			cfg.Accounts = append(cfg.Accounts, entries[i].Account)
		}
	}
	if wrong = append(f.problems(), wrong...); len(wrong) > 0 {
		return Config{}, wrong
	}
	return cfg, nil
}

// refuseBeside refuses what signs one account in, where NECTAR_ACCOUNTS says where all stand.
func refuseBeside(f *form, vars map[string]string, remedy string) {
	for _, key := range signInKeys {
		if vars[envPrefix+key] != "" {
			f.refuseKey(key, "stands beside "+envPrefix+"ACCOUNTS"+remedy)
		}
	}
}

// Variables returns all variables by name, for settings of your own. Some of them are secrets. The
// error is of type Problems.
func (s Source) Variables() (map[string]string, error) {
	vars, wrong := s.readVariables()
	if len(wrong) > 0 {
		return nil, wrong
	}
	return vars, nil
}

func (c Config) check(f *form) {
	f.requireKey("SECRET_KEY", c.SecretKey == "" || IsKey(c.SecretKey.Reveal()))
	if c.Store.OnServer() && c.SecretKey == "" {
		f.refuseKey("SECRET_KEY", "is missing: what is kept on a server is always encrypted")
	}
	if c.AccountsInStore() && !c.Store.OnServer() {
		f.refuseKey("ACCOUNTS", "says that the accounts stand in the database, which is for PostgreSQL, and "+envPrefix+"STORE names a file; name the file of accounts")
	}
	f.requireKey("LOG_FORMAT", slices.Contains([]string{"text", "json"}, c.LogFormat))
	f.requireKey("WORKER", c.Worker == "" || workerName.MatchString(c.Worker))
	f.requireKey("STOP_PATIENCE", c.StopPatience >= time.Second && c.StopPatience <= time.Hour)
	f.requireKey("METRICS", c.Metrics == "" || isAddress(c.Metrics))
}

// isAddress reports whether text is a place to listen at: a host, which may be missing, and a port.
func isAddress(text string) bool {
	host, port, err := net.SplitHostPort(text)
	if err != nil || strings.ContainsAny(host, "@/ ") {
		return false
	}
	_, err = strconv.ParseUint(port, 10, 16)
	return err == nil
}

// IsKey reports whether text is 32 bytes in hex or base64.
func IsKey(text string) bool {
	for _, decode := range []func(string) ([]byte, error){hex.DecodeString, base64.StdEncoding.DecodeString} {
		if key, err := decode(text); err == nil && len(key) == 32 {
			return true
		}
	}
	return false
}

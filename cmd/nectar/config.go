package main

import (
	"encoding/base64"
	"encoding/hex"
	"log/slog"
	"os"
	"slices"

	"github.com/nectar-bot/nectar/platform"
	"github.com/spf13/cobra"
)

// Config is what the environment, .env and the accounts file say, checked.
type Config struct {
	Accounts []Account `env:"-"` // the file's in its order, or the one of the variables

	AccountsFile string          `env:"ACCOUNTS" want:"a YAML file" example:"accounts.yaml"`
	Store        StoreFile       `env:"STORE" envDefault:"sqlite:nectar.db" want:"a store" example:"sqlite:nectar.db"`
	SecretKey    platform.Secret `env:"SECRET_KEY" want:"32 bytes in base64 or hex" example:"<output of: openssl rand -base64 32>"`
	Rules        string          `env:"RULES" envDefault:"rules" want:"a file or folder that exists" example:"rules"`
	LogLevel     slog.Level      `env:"LOG_LEVEL" envDefault:"info" want:"debug, info, warn or error" example:"info"`
	LogFormat    string          `env:"LOG_FORMAT" envDefault:"text" want:"text or json" example:"text"`
}

const (
	envPrefix   = "NECTAR_"
	mainAccount = "main"
	envFileFlag = "env-file"

	// defaultRules need not exist: a bot may do without rules.
	defaultRules = "rules"
)

// scope says how much of the configuration a command needs.
type scope bool

const (
	withoutAccounts scope = false
	withAccounts    scope = true // what is needed to sign in must be there
)

// config loads as much of the configuration as cmd needs.
func (sh shell) config(cmd *cobra.Command, needs scope) (Config, error) {
	file, err := cmd.Flags().GetString(envFileFlag)
	if err != nil {
		return Config{}, err
	}
	cfg, problems := loadConfig(sh.environ, file, needs)
	if len(problems) > 0 {
		return Config{}, &exitError{exitUsage, problems}
	}
	return cfg, nil
}

// loadConfig reads the settings of environ and of envFile (.env when empty), of which environ wins.
func loadConfig(environ []string, envFile string, needs scope) (Config, problems) {
	vars, wrong := variables(environ, envFile)
	if len(wrong) > 0 {
		return Config{}, wrong
	}
	f := newForm(vars)
	acc := Account{Name: mainAccount}
	var cfg Config
	f.fill(&acc)
	f.fill(&cfg)
	acc.check(f)
	cfg.check(f)
	switch {
	case needs == withoutAccounts:
	case cfg.AccountsFile == "":
		acc.checkSignIn(f)
		cfg.Accounts = []Account{acc}
	default:
		for _, key := range []string{"EMAIL", "PASSWORD", "OAUTH_TYPE", "OAUTH_TOKEN"} {
			if vars[envPrefix+key] != "" {
				f.refuse(key, "stands beside "+envPrefix+"ACCOUNTS; move it into that file")
			}
		}
		cfg.Accounts, wrong = readAccounts(cfg.AccountsFile, vars, f)
	}
	return cfg, append(f.problems(), wrong...)
}

func (c Config) check(f *form) {
	f.require("SECRET_KEY", c.SecretKey == "" || c.Key() != nil)
	f.require("LOG_FORMAT", slices.Contains([]string{"text", "json"}, c.LogFormat))
	if c.Rules != defaultRules {
		_, err := os.Stat(c.Rules)
		f.require("RULES", err == nil)
	}
}

// Key returns the 32 bytes of SecretKey; nil when there is none.
func (c Config) Key() []byte {
	text := c.SecretKey.Reveal()
	for _, decode := range []func(string) ([]byte, error){hex.DecodeString, base64.StdEncoding.DecodeString} {
		if key, err := decode(text); err == nil && len(key) == 32 {
			return key
		}
	}
	return nil
}

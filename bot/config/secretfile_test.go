package config_test

import (
	"strings"
	"testing"

	"github.com/nectar-bot/nectar/bot/config"
)

// A secret may stand in a file that a variable names, as services and containers are given them.
func TestSecretsInFiles(t *testing.T) {
	without := signIn[:2:2]
	key := strings.Repeat("1f", 32)
	cfg, wrong := load(t, world{
		environ: append(without, "NECTAR_PASSWORD_FILE=password", "NECTAR_SECRET_KEY_FILE=key", "NECTAR_STORE_FILE=store", "NTFY_TOKEN_FILE=token", "NOBODY_FILE=none"),
		files:   map[string]string{"password": hunter2 + "\r\n", "key": key + "\n", "store": "sqlite:elsewhere.db", "token": "tk_1\n"},
	}, withAccounts)
	if wrong != "" {
		t.Fatal(wrong)
	}
	if got := cfg.Accounts[0].Password.Reveal(); got != hunter2 {
		t.Errorf("the password is %q", got)
	}
	if cfg.SecretKey.Reveal() != key || cfg.Store != "elsewhere.db" || len(cfg.Misspelt) > 0 {
		t.Errorf("the settings are %+v", cfg)
	}
	if token, ok := cfg.Lookup("NTFY_TOKEN"); !ok || token != "tk_1" {
		t.Errorf("a variable of somebody else's is %q, %v", token, ok)
	}
	for _, name := range []string{"NOBODY", "NEITHER"} {
		if v, ok := cfg.Lookup(name); ok || v != "" {
			t.Errorf("%s is %q", name, v)
		}
	}
	cfg, wrong = load(t, world{
		environ: []string{"NECTAR_BASE_URL=https://social.example/mobile_api", "NECTAR_ACCOUNTS=accounts.yaml", "SHOP_PASSWORD_FILE=password"},
		files:   map[string]string{"password": hunter2, "accounts.yaml": "accounts:\n  shop: { email: shop@social.example, password: '${SHOP_PASSWORD}' }\n"},
	}, withAccounts)
	if wrong != "" || cfg.Accounts[0].Password.Reveal() != hunter2 {
		t.Errorf("an account of a file: %s", wrong)
	}
}

func TestSecretFilesThatAreWrong(t *testing.T) {
	for name, tc := range map[string]struct {
		environ []string
		file    string
		want    string
	}{
		"is not there":     {[]string{"NECTAR_PASSWORD_FILE=nothing"}, hunter2, "NECTAR_PASSWORD_FILE: nothing cannot be read: no such file"},
		"is empty":         {[]string{"NECTAR_PASSWORD_FILE=secret"}, "\n", "NECTAR_PASSWORD_FILE: secret is empty"},
		"is no text":       {[]string{"NECTAR_PASSWORD_FILE=secret"}, hunter2 + "\xff", "NECTAR_PASSWORD_FILE: secret is no file with a secret"},
		"is too long":      {[]string{"NECTAR_PASSWORD_FILE=secret"}, strings.Repeat(hunter2, 10_000), "NECTAR_PASSWORD_FILE: secret is no file with a secret"},
		"has two lines":    {[]string{"NECTAR_PASSWORD_FILE=secret"}, hunter2 + "\nmore", "NECTAR_PASSWORD: is not one line of text"},
		"is a folder":      {[]string{"NECTAR_PASSWORD_FILE=."}, hunter2, "NECTAR_PASSWORD_FILE: . cannot be read: is a directory"},
		"stands beside it": {[]string{"NECTAR_PASSWORD_FILE=secret", "NECTAR_PASSWORD=" + hunter2}, hunter2, "NECTAR_PASSWORD_FILE: stands beside NECTAR_PASSWORD; keep one"},
		"is for no secret": {[]string{"NECTAR_PASSWORD=" + hunter2, "NECTAR_PACE_FILE=secret"}, hunter2, ""},
	} {
		t.Run(name, func(t *testing.T) {
			cfg, wrong := load(t, world{environ: append(signIn[:2:2], tc.environ...), files: map[string]string{"secret": tc.file}}, withAccounts)
			if !strings.HasPrefix(wrong, tc.want) || strings.Contains(wrong, hunter2) {
				t.Errorf("it is %q, want %q", wrong, tc.want)
			}
			if tc.want == "" && len(cfg.Misspelt) != 1 {
				t.Errorf("misspelt are %v", cfg.Misspelt)
			}
		})
	}
}

// What begins like ours in the environment, and is none, is told, and not refused.
func TestMisspeltInTheEnvironment(t *testing.T) {
	cfg, wrong := load(t, world{environ: append(signIn[:3:3], "NECTAR_PASE=3/s", "NECTAR_TEST=all", "NECTAR_NEW_SECRET_KEY=x", "PATH=/bin")}, withAccounts)
	if want := (config.Problems{"NECTAR_PASE: there is no such variable; did you mean NECTAR_PACE?"}); wrong != "" || len(cfg.Misspelt) != 1 || cfg.Misspelt[0] != want[0] {
		t.Errorf("%v %q, want %v", cfg.Misspelt, wrong, want)
	}
}

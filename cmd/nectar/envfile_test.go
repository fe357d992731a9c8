package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/nectar-bot/nectar/platform"
)

// dotenv is signIn as a file.
var dotenv = strings.Join(signIn, "\n") + "\n"

func TestEnvFile(t *testing.T) {
	paced := func(pace Pace) Account {
		a := defaultAccount()
		a.Pace = pace
		return a
	}
	secret := func(s platform.Secret) Account {
		a := defaultAccount()
		a.Password = s
		return a
	}
	for name, tc := range map[string]struct {
		world
		want Account
	}{
		"is read":              {world{files: map[string]string{".env": dotenv + "NECTAR_PACE=7/s"}}, paced(7)},
		"the environment wins": {world{files: map[string]string{".env": dotenv + "NECTAR_PACE=7/s"}, environ: []string{"NECTAR_PACE=3/s"}}, paced(3)},
		"also when empty":      {world{files: map[string]string{".env": dotenv + "NECTAR_PACE=7/s"}, environ: []string{"NECTAR_PACE="}}, paced(1)},
		"another file": {
			world{files: map[string]string{".env": "NECTAR_PACE=3/s", "prod.env": dotenv + "NECTAR_PACE=7/s"}, args: []string{"--env-file", "prod.env"}},
			paced(7),
		},
		"begins with a mark":  {world{files: map[string]string{".env": "\xef\xbb\xbf" + dotenv}}, paced(1)},
		"Windows lines":       {world{files: map[string]string{".env": strings.ReplaceAll(dotenv, "\n", "\r\n")}}, paced(1)},
		"quoted with a $":     {world{files: map[string]string{".env": dotenv + "NECTAR_PASSWORD='pa$WORD#1'"}}, secret("pa$WORD#1")},
		"an escaped $":        {world{files: map[string]string{".env": dotenv + `NECTAR_PASSWORD=pa\$WORD`}}, secret("pa$WORD")},
		"a $ before a space":  {world{files: map[string]string{".env": dotenv + `NECTAR_PASSWORD="pa$ word"`}}, secret("pa$ word")},
		"refers to another":   {world{files: map[string]string{".env": "PW=swordfish\n" + dotenv + "NECTAR_PASSWORD=${PW}"}}, secret("swordfish")},
		"with other settings": {world{files: map[string]string{".env": dotenv + "EDITOR=ed\n"}}, paced(1)},
	} {
		t.Run(name, func(t *testing.T) {
			cfg, got := configure(t, tc.world, withAccounts)
			if got.status != 0 {
				t.Fatal(got.stderr)
			}
			if diff := cmp.Diff([]Account{tc.want}, cfg.Accounts); diff != "" {
				t.Error(diff)
			}
			if cfg.Accounts[0].Password != tc.want.Password {
				t.Error("the password is another one")
			}
		})
	}
}

func TestWrongEnvFiles(t *testing.T) {
	const example = " (example: NECTAR_PACE=20/s)"
	for name, tc := range map[string]struct {
		file string
		want string
	}{
		"no name":    {dotenv + "\n# a note\n\nhunter2 is my password\n", ".env:7: is not NAME=value" + example},
		"no value":   {dotenv + "NECTAR_PACE", ".env:4: is not NAME=value" + example},
		"open quote": {"NECTAR_PASSWORD='hunter2\nNECTAR_PACE=1/s\n", ".env:1: is not NAME=value" + example},
		"after long values": {
			"A='1\n2\n3'\nB=\"4\n5\"\nhunter2\nC='6'\n", ".env:6: is not NAME=value" + example,
		},
		"odd name":       {"NECTAR-PASSWORD=hunter2\n", ".env:1: is not NAME=value" + example},
		"other encoding": {"\xff\xfeN\x00E\x00", ".env: is not UTF-8 text; save it with that encoding"},
		"misspelt name":  {"NECTAR_PASWORD=hunter2\n", ".env: NECTAR_PASWORD: there is no such variable; did you mean NECTAR_PASSWORD?"},
		"unknown name":   {"NECTAR_COFFEE=strong\n", ".env: NECTAR_COFFEE: there is no such variable"},
		"lost $": {
			"NECTAR_PASSWORD=hunter2$WORD\n",
			".env: NECTAR_PASSWORD: has a $ that stands for another variable, and there is none of that name; put the value between single quotes",
		},
		"lost $()": {
			"NECTAR_PASSWORD=hunter2$(WORD)\n",
			".env: NECTAR_PASSWORD: has a $ that stands for another variable, and there is none of that name; put the value between single quotes",
		},
		"lost ${}": {
			`NECTAR_PASSWORD="hunter2${WORD}"`,
			".env: NECTAR_PASSWORD: has a $ that stands for another variable, and there is none of that name; put the value between single quotes",
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, got := configure(t, world{files: map[string]string{".env": tc.file}}, withAccounts)
			if diff := cmp.Diff(result{status: 2, stderr: "nectar: " + tc.want + "\n"}, got, cmp.AllowUnexported(result{})); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestNamedEnvFileMustBeThere(t *testing.T) {
	_, got := configure(t, world{args: []string{"--env-file", "prod.env"}}, withoutAccounts)
	if !strings.HasPrefix(got.stderr, "nectar: prod.env: cannot be read: ") || got.status != 2 {
		t.Errorf("status %d: %s", got.status, got.stderr)
	}
}

func TestEnvFileThatIsAFolder(t *testing.T) {
	dir := t.TempDir()
	vars, wrong := variables(nil, dir)
	if len(wrong) != 1 || vars != nil {
		t.Errorf("got %v, %v", vars, wrong)
	}
}

// FuzzEnvFile looks for files whose problems repeat a secret or break a line.
func FuzzEnvFile(f *testing.F) {
	f.Add("NECTAR_PACE=1/s\n")
	f.Add("NECTAR_EMAIL='open\n")
	f.Add("export A = ${NECTAR_PASSWORD} # note\n$")
	f.Add("NECTAR_PASSWORD")
	const marker = "swordfish"
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, text string) {
		if strings.Contains(strings.ToLower(text), marker) {
			return
		}
		file := filepath.Join(dir, ".env")
		if err := os.WriteFile(file, []byte("NECTAR_PASSWORD="+marker+text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, wrong := variables(nil, file)
		for _, line := range wrong {
			if strings.Contains(line, marker) || strings.ContainsAny(line, "\r\n") {
				t.Errorf("problem %q", line)
			}
		}
	})
}

package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/nectar-bot/nectar/bot/config"
	"github.com/nectar-bot/nectar/platform"
)

// dotenv is signIn as a file.
var dotenv = strings.Join(signIn, "\n") + "\n"

func TestEnvFile(t *testing.T) {
	paced := func(pace float64) config.Account {
		a := defaultAccount()
		a.Pace = pace
		return a
	}
	secret := func(s platform.Secret) config.Account {
		a := defaultAccount()
		a.Password = s
		return a
	}
	for name, tc := range map[string]struct {
		world
		want config.Account
	}{
		"is read":              {world{files: map[string]string{".env": dotenv + "NECTAR_PACE=7/s"}}, paced(7)},
		"the environment wins": {world{files: map[string]string{".env": dotenv + "NECTAR_PACE=7/s"}, environ: []string{"NECTAR_PACE=3/s"}}, paced(3)},
		"also when empty":      {world{files: map[string]string{".env": dotenv + "NECTAR_PACE=7/s"}, environ: []string{"NECTAR_PACE="}}, paced(1)},
		"another file": {
			world{files: map[string]string{".env": "NECTAR_PACE=3/s", "prod.env": dotenv + "NECTAR_PACE=7/s"}, envFile: "prod.env"},
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
			cfg, wrong := load(t, tc.world, withAccounts)
			if wrong != "" {
				t.Fatal(wrong)
			}
			if diff := cmp.Diff([]config.Account{tc.want}, cfg.Accounts); diff != "" {
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
			_, wrong := load(t, world{files: map[string]string{".env": tc.file}}, withAccounts)
			if diff := cmp.Diff(tc.want+"\n", wrong); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestNamedEnvFileMustBeThere(t *testing.T) {
	_, wrong := load(t, world{envFile: "prod.env"}, withoutAccounts)
	if !strings.HasPrefix(wrong, "prod.env: cannot be read: ") {
		t.Error(wrong)
	}
}

func TestEnvFileThatIsAFolder(t *testing.T) {
	dir := t.TempDir()
	vars, err := config.Source{Environ: []string{}, EnvFile: dir}.Variables()
	if err == nil || !strings.HasPrefix(err.Error(), dir+": cannot be read: ") || vars != nil {
		t.Errorf("got %v, %v", vars, err)
	}
}

func TestVariablesOfOthers(t *testing.T) {
	file := filepath.Join(t.TempDir(), ".env")
	if err := os.WriteFile(file, []byte("WEATHER_KEY=abc\nWEATHER_CITY=Oslo\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := config.Source{Environ: []string{"WEATHER_CITY=Bergen", "odd"}, EnvFile: file}.Variables()
	if diff := cmp.Diff(map[string]string{"WEATHER_KEY": "abc", "WEATHER_CITY": "Bergen"}, got); diff != "" || err != nil {
		t.Error(err, diff)
	}
}

func TestTheProcessHasVariables(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("NECTAR_LOG_FORMAT", "json")
	cfg, err := config.Load(config.Source{})
	if err != nil || cfg.LogFormat != "json" {
		t.Errorf("got %q, %v", cfg.LogFormat, err)
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
		_, err := config.Source{Environ: []string{}, EnvFile: file}.Variables()
		if err == nil {
			return
		}
		for _, line := range err.(config.Problems) { //nolint:errorlint // it is documented to be of this very type
			if strings.Contains(line, marker) || strings.ContainsAny(line, "\r\n") {
				t.Errorf("problem %q", line)
			}
		}
	})
}

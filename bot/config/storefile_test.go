package config_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/nectar-bot/nectar/bot/config"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/platform"
)

// warnings returns a log, and the lines it got.
func warnings() (*slog.Logger, *bytes.Buffer) {
	var lines bytes.Buffer
	return slog.New(slog.NewTextHandler(&lines, &slog.HandlerOptions{Level: slog.LevelWarn})), &lines
}

func TestOpenStoreWarnsOnceWithoutAKey(t *testing.T) {
	for key, want := range map[platform.Secret]int{"": 1, "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef": 0} {
		log, lines := warnings()
		file := filepath.Join(t.TempDir(), "bot.db")
		st, err := config.Config{Store: config.StoreFile(file), SecretKey: key}.OpenStore(t.Context(), log)
		if err != nil {
			t.Fatal(err)
		}
		if err := st.Close(); err != nil {
			t.Error(err)
		}
		if got := strings.Count(lines.String(), "\n"); got != want || got != strings.Count(lines.String(), "NECTAR_SECRET_KEY") {
			t.Errorf("want %d warnings, got %s", want, lines)
		}
		info, err := os.Stat(file)
		if err != nil {
			t.Fatal(err)
		}
		if got := info.Mode().Perm(); got != 0o600 && runtime.GOOS != "windows" {
			t.Errorf("the file has mode %o", got)
		}
	}
}

func TestStoresThatDoNotOpen(t *testing.T) {
	dir := t.TempDir()
	inUse := config.Config{Store: config.StoreFile(filepath.Join(dir, "used.db"))}
	st, err := inUse.OpenStore(t.Context(), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := st.Close(); err != nil {
			t.Error(err)
		}
	}()
	text := filepath.Join(dir, "letter.txt")
	if err := os.WriteFile(text, []byte(strings.Repeat("Dear Ana, ", 500)), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		path string
		is   error // if it is one that callers know
		want string
	}{
		"in use":         {string(inUse.Store), record.ErrInUse, "another process runs on this database: stop it first"},
		"a folder":       {dir, nil, "is a directory"},
		"no folder":      {filepath.Join(dir, "nowhere", "bot.db"), os.ErrNotExist, "its folder is missing"},
		"not a database": {text, nil, "file is not a database"},
	} {
		log, lines := warnings()
		_, err := config.Config{Store: config.StoreFile(c.path)}.OpenStore(t.Context(), log)
		if err == nil {
			t.Errorf("%s: opened", name)
			continue
		}
		got := err.Error()
		if !strings.HasPrefix(got, "NECTAR_STORE: ") || !strings.Contains(got, c.want) || !strings.Contains(got, c.path) || strings.Contains(got, "\n") {
			t.Errorf("%s: %s", name, got)
		}
		if c.is != nil && !errors.Is(err, c.is) {
			t.Errorf("%s: it is not %v", name, c.is)
		}
		if lines.Len() > 0 {
			t.Errorf("%s: a warning, too: %s", name, lines)
		}
	}
}

const onServer = "postgres://bot:" + hunter2 + "@db.example:5433/nectar?password=" + hunter2

// TestAStoreOnAServer: it takes a key, and whatever prints the settings names the database alone.
func TestAStoreOnAServer(t *testing.T) {
	environ := []string{"NECTAR_STORE=" + onServer}
	_, wrong := load(t, world{environ: environ}, withoutAccounts)
	const want = "NECTAR_SECRET_KEY: is missing: what is kept on a server is always encrypted" +
		" (example: NECTAR_SECRET_KEY=<output of: openssl rand -base64 32>)\n"
	if wrong != want {
		t.Errorf("without a key: %s", wrong)
	}
	cfg, wrong := load(t, world{environ: append(environ, "NECTAR_SECRET_KEY="+strings.Repeat("0f", 32))}, withoutAccounts)
	if wrong != "" || string(cfg.Store) != onServer || !cfg.Store.OnServer() {
		t.Fatal(wrong)
	}
	var lines bytes.Buffer
	cfg.LogFormat = "json"
	cfg.Logger(&lines, slog.LevelInfo).Info("hello", "store", cfg.Store, "settings", cfg, "url", onServer)
	cfg.LogFormat = "text"
	cfg.Logger(&lines, slog.LevelInfo).Info("hello", "store", cfg.Store, "settings", cfg, "url", onServer)
	js, err := json.Marshal(cfg)
	if err != nil {
		t.Error(err)
	}
	for _, text := range []string{
		lines.String(), string(js), fmt.Sprint(cfg), fmt.Sprintf("%+v", cfg), fmt.Sprintf("%#v", cfg), cfg.Store.String(), fmt.Sprintf("%q", cfg.Store),
	} {
		if strings.Contains(text, hunter2) || !strings.Contains(text, "the database nectar on db.example") {
			t.Error(text)
		}
	}
}

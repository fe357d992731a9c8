package starter

import (
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/nectar-bot/nectar/handlers/rules"
	"github.com/nectar-bot/nectar/internal/language"
)

//go:embed files/*/*.yaml
var starterFiles embed.FS

// newFile is a file that init writes.
type newFile struct {
	path    string // within the folder
	content string
	secret  bool
}

// newFiles returns all files that init writes.
func (b *Beginning) newFiles() ([]newFile, error) {
	files := []newFile{{path: ".env", content: b.envFile(), secret: true}}
	from := "files/" + b.Language
	entries, err := fs.ReadDir(starterFiles, from)
	if err != nil {
		return nil, fmt.Errorf("read the files to begin with: %w", err)
	}
	fill := b.filler()
	for _, e := range entries {
		content, err := fs.ReadFile(starterFiles, from+"/"+e.Name())
		if err != nil {
			return nil, fmt.Errorf("read the files to begin with: %w", err)
		}
		files = append(files, newFile{path: filepath.Join("rules", e.Name()), content: fill.Replace(string(content))})
	}
	for _, name := range SchemaNames {
		schema, err := rules.Schema(name)
		if err != nil {
			return nil, err
		}
		files = append(files, newFile{path: filepath.Join("schema", name+".v1.json"), content: string(schema)})
	}
	return files, nil
}

// filler puts what was said into the files.
func (b *Beginning) filler() *strings.Replacer {
	open := make([]string, len(b.Hours))
	for i, h := range b.Hours {
		open[i] = "    - " + h
	}
	closed, answer := b.closedMoment()
	return strings.NewReplacer(
		"%TIMEZONE%", b.Zone, "%LANGUAGE%", b.Language, "%OPEN%", strings.Join(open, "\n"),
		"%HOURS%", hoursSaid(b.Language, b.Hours), "%CLOSED%", closed, "%AT_CLOSED%", answer,
	)
}

// envFile returns the settings. What was not said is empty, to be filled in.
func (b *Beginning) envFile() string {
	quoted := func(value string) string {
		if value == "" {
			return ""
		}
		return "'" + value + "'"
	}
	return "# Settings of the bot; .env.example of the project lists all of them. Keep this file to yourself.\n\n" +
		"# Address of the platform; it ends with the part that names the mobile API, like https://social.example/mobile_api\n" +
		"NECTAR_BASE_URL=" + quoted(b.BaseURL) + "\n\n# What the bot signs in with.\n" +
		"NECTAR_EMAIL=" + quoted(b.Email) + "\nNECTAR_PASSWORD=" + quoted(b.Password) + "\n\n" +
		"# The rule files.\nNECTAR_RULES=rules\n\n" +
		"# The hosts at which people are called, such as ntfy.sh; settings.yaml says who, where and how.\n# NECTAR_WEBHOOK_HOSTS=\n"
}

// write writes the file, unless it is there.
func (f newFile) write(dir string, out io.Writer) error {
	path := filepath.Join(dir, f.path)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil { //nolint:gosec // rule files are for everybody to read
		return fmt.Errorf("make the folder of %s: %w", path, err)
	}
	mode := fs.FileMode(0o644)
	if f.secret {
		mode = 0o600
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode) //nolint:gosec // a path that the person named
	if errors.Is(err, fs.ErrExist) {
		_, err = fmt.Fprintf(out, "%-26s is there already, and stays\n", f.path)
		return err
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	_, err = file.WriteString(f.content)
	if cerr := file.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	_, err = fmt.Fprintf(out, "%-26s written\n", f.path)
	return err
}

// SchemaNames are the names of the schemas of rule files.
var SchemaNames = []string{"rules", "settings", "replies"}

func isLanguage(l string) bool {
	return language.Language(l).IsKnown()
}

// Package starter writes a folder of rules to begin with, in a person's language.
package starter

import (
	"errors"
	"fmt"
	"io"
	"net/mail"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/handlers/rules"
	rulecheck "github.com/nectar-bot/nectar/handlers/rules/check"
	"github.com/nectar-bot/nectar/handlers/text"
)

// Beginning is what a new bot is to be made of.
type Beginning struct {
	Dir      string
	BaseURL  string
	Email    string
	Password string
	Zone     string
	Language string
	Hours    []string
	Stdin    bool // the password stands there
	Force    bool
}

// LocalZone returns the time zone of this machine, when it has a name.
func LocalZone() string {
	if name := time.Local.String(); name != "Local" && name != "" {
		return name
	}
	if link, err := os.Readlink("/etc/localtime"); err == nil {
		if _, name, ok := strings.Cut(link, "zoneinfo/"); ok {
			return name
		}
	}
	if name, err := os.ReadFile("/etc/timezone"); err == nil {
		if _, err := text.ParseZone(strings.TrimSpace(string(name))); err == nil {
			return strings.TrimSpace(string(name))
		}
	}
	return "UTC"
}

// CheckEmail says what is wrong with an e-mail address; an empty one is filled in later.
func CheckEmail(address string) error {
	if address == "" {
		return nil
	}
	a, err := mail.ParseAddress(address)
	if err != nil || a.Address != address || !strings.Contains(address[strings.LastIndex(address, "@"):], ".") {
		return fmt.Errorf("%q is no e-mail address: write one like bot@social.example", address)
	}
	return nil
}

// Check says what is wrong with what was said.
func (b *Beginning) Check() error {
	if _, err := text.ParseZone(b.Zone); err != nil {
		return fmt.Errorf("--timezone: %w", err)
	}
	if err := CheckEmail(b.Email); err != nil {
		return fmt.Errorf("--email: %w", err)
	}
	if !isLanguage(b.Language) {
		return fmt.Errorf("--language %q is not known: write en, es, pt, fr or de", b.Language)
	}
	if len(b.Hours) == 0 {
		return errors.New("--hours: say when you are at work, like \"Mon-Fri 09:00-18:00\"")
	}
	for _, h := range b.Hours {
		if _, err := text.ParseOpening(h); err != nil {
			return fmt.Errorf("--hours: %w", err)
		}
	}
	for flag, value := range map[string]string{"--base-url": b.BaseURL, "--email": b.Email} {
		if err := checkValue(value); err != nil {
			return fmt.Errorf("%s %w", flag, err)
		}
	}
	if b.Password == "" {
		return nil
	}
	return checkPassword(b.Password)
}

// checkValue says why a value cannot stand in .env.
func checkValue(value string) error {
	if strings.ContainsAny(value, "\r\n'") {
		return errors.New("must not have line ends or single quotes in it")
	}
	return nil
}

// checkPassword says why a password cannot stand in .env, without a word of it.
func checkPassword(password string) error {
	if strings.TrimSpace(password) == "" {
		return errors.New("the password is empty")
	}
	if err := checkValue(password); err != nil {
		return fmt.Errorf("the password %w: leave it empty here, and put it into a file that NECTAR_PASSWORD_FILE names", err)
	}
	return nil
}

// Write writes the files, and says what to do next.
func (b *Beginning) Write(out io.Writer) error {
	files, err := b.newFiles()
	if err != nil {
		return err
	}
	var there []string
	for _, f := range files {
		if _, err := os.Lstat(filepath.Join(b.Dir, f.path)); err == nil {
			there = append(there, f.path)
		}
	}
	if len(there) > 0 && !b.Force {
		return fmt.Errorf("%s: already there, and nothing was written; with --force they stay, and what is missing is written", strings.Join(there, ", "))
	}
	for _, f := range files {
		if err := f.write(b.Dir, out); err != nil {
			return err
		}
	}
	src, err := rules.ReadSources(filepath.Join(b.Dir, "rules"))
	if err != nil {
		return err
	}
	_, report := rulecheck.Check(src)
	_, _ = fmt.Fprintln(out)
	if _, err := report.WriteTo(out); err != nil {
		return err
	}
	_, err = io.WriteString(out, b.next())
	return err
}

// next says what to do next.
func (b *Beginning) next() string {
	steps := []string{
		"nectar try                 chat with the rules in the terminal; nothing leaves it",
		"nectar check               after every change: what is wrong, with the line",
		"nectar doctor              whether the platform can be reached, and understands us",
		"nectar run                 the bot; everything is on watch, so it sends nothing",
		"nectar events              what happened, and what it would have done",
	}
	if b.BaseURL == "" || b.Email == "" || b.Password == "" {
		steps = append([]string{".env                       fill in what is empty there"}, steps...)
	}
	steps = append(steps, "status: ask, then live     in a rule file, once you like what you see")
	return "\nNext:\n  " + strings.Join(steps, "\n  ") + "\n"
}

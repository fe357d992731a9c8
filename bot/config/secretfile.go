package config

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"unicode/utf8"
)

// fileSuffix ends the name of a variable that names a file with the value of another one, as services and containers are given secrets.
const fileSuffix = "_FILE"

// longestSecret is how much such a file may have, in bytes.
const longestSecret = 1 << 16

// readSecretFiles gives our secrets that stand in files their values. What is wrong with a file is told without a word of it.
func readSecretFiles(vars map[string]string) (wrong Problems) {
	for _, fd := range slices.Concat(fieldsOf(Account{}), fieldsOf(Config{})) {
		name := envPrefix + fd.key
		file := vars[name+fileSuffix]
		switch {
		case !fd.inFile() || file == "":
		case vars[name] != "":
			wrong = append(wrong, fmt.Sprintf("%s: stands beside %s; keep one of them", name+fileSuffix, name))
		default:
			value, err := readSecretFile(file)
			if err != nil {
				wrong = append(wrong, fmt.Sprintf("%s: %s %v", name+fileSuffix, file, err))
			}
			vars[name] = value
		}
	}
	return wrong
}

// lookUp returns a variable, or what stands in the file that NAME_FILE names; false when there is neither.
func lookUp(name string, get func(name string) (string, bool)) (string, bool) {
	if v, ok := get(name); ok {
		return v, true
	}
	file, ok := get(name + fileSuffix)
	if !ok || file == "" {
		return "", false
	}
	v, err := readSecretFile(file)
	return v, err == nil
}

// readSecretFile returns the text of a file without the end of its last line.
func readSecretFile(path string) (string, error) {
	f, err := os.Open(path) //nolint:gosec // the user names the file
	if err != nil {
		return "", fmt.Errorf("cannot be read: %w", errors.Unwrap(err))
	}
	defer func() { _ = f.Close() }()
	text, err := io.ReadAll(io.LimitReader(f, longestSecret+1))
	switch {
	case err != nil:
		return "", fmt.Errorf("cannot be read: %w", errors.Unwrap(err))
	case len(text) > longestSecret, !utf8.Valid(text):
		return "", errors.New("is no file with a secret: it is too long, or no text")
	}
	value := strings.TrimSuffix(strings.TrimSuffix(string(text), "\n"), "\r")
	if value == "" {
		return "", errors.New("is empty")
	}
	return value, nil
}

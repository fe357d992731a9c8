package config

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/joho/godotenv"
	"github.com/nectar-bot/nectar/internal/textfile"
)

const defaultEnvFile = ".env"

// readVariables returns the variables of s.Environ and those of the file that s.Environ does not set.
func (s Source) readVariables() (map[string]string, Problems) {
	vars, wrong := readEnvFile(s.EnvFile)
	if len(wrong) > 0 {
		return nil, wrong
	}
	if s.Environ == nil {
		s.Environ = os.Environ()
	}
	for _, entry := range s.Environ {
		if name, value, ok := strings.Cut(entry, "="); ok {
			vars[name] = value
		}
	}
	return vars, readSecretFiles(vars)
}

// findMisspelt returns a line for each variable of ours in the environment that there is none of. It may be there for another reason, so nothing is
// refused.
func (s Source) findMisspelt() Problems {
	if s.Environ == nil {
		s.Environ = os.Environ()
	}
	vars := map[string]string{}
	for _, entry := range s.Environ {
		name, _, _ := strings.Cut(entry, "=")
		if key := strings.TrimPrefix(name, envPrefix); key != "NEW_SECRET_KEY" && key != "TEST" && !strings.HasPrefix(key, "TEST_") { // of nectar rekey, and of our tests
			vars[name] = ""
		}
	}
	return unknownNames("", vars)
}

// readEnvFile reads a file of variables. An empty name stands for .env, which need not be there.
func readEnvFile(file string) (map[string]string, Problems) {
	optional := file == ""
	if optional {
		file = defaultEnvFile
	}
	src, err := os.ReadFile(file) //nolint:gosec // the user names the file
	switch {
	case optional && errors.Is(err, fs.ErrNotExist):
		return map[string]string{}, nil
	case err != nil:
		return nil, Problems{fmt.Sprintf("%s: cannot be read: %v", file, errors.Unwrap(err))}
	}
	src = bytes.TrimPrefix(src, []byte("\xef\xbb\xbf")) // as some editors on Windows begin files
	if !utf8.Valid(src) || bytes.IndexByte(src, 0) >= 0 {
		return nil, Problems{file + ": is not UTF-8 text; save it with that encoding"}
	}
	vars, err := parseEnv(src)
	if err != nil {
		return nil, Problems{fmt.Sprintf("%s:%d: is not NAME=value (example: NECTAR_PACE=20/s)", file, brokenLine(src))}
	}
	return vars, append(unknownNames(file, vars), lostReferences(file, src, vars)...)
}

// brokenLine returns the number of the line at which the statement begins that cannot be read.
func brokenLine(src []byte) int {
	const longest = 100 // lines that a quoted value may have
	lines := bytes.SplitAfter(src, []byte("\n"))
	first := 0
	for n := 0; n < len(lines) && n-first < longest; n++ {
		if _, err := parseEnv(bytes.Join(lines[first:n+1], nil)); err == nil {
			first = n + 1
		}
	}
	return first + 1
}

// parseEnv parses what stands in a .env file. Its errors must not be shown: they repeat the text, in
// which there may be a password.
func parseEnv(src []byte) (map[string]string, error) {
	vars, err := godotenv.UnmarshalBytes(src)
	if err != nil {
		return nil, err
	}
	if _, nameless := vars[""]; nameless {
		return nil, errors.New("a value without a name")
	}
	return vars, nil
}

// unknownNames finds misspelt variables, in a file or, where none is named, in the environment.
func unknownNames(file string, vars map[string]string) Problems {
	if file != "" {
		file += ": "
	}
	var known []string
	for _, fd := range append(fieldsOf(Account{}), fieldsOf(Config{})...) {
		known = append(known, envPrefix+fd.key)
		if fd.inFile() {
			known = append(known, envPrefix+fd.key+fileSuffix)
		}
	}
	var wrong Problems
	for name := range vars {
		if strings.HasPrefix(name, envPrefix) && !slices.Contains(known, name) {
			wrong = append(wrong, fmt.Sprintf("%s%s: there is no such variable%s", file, name, didYouMean(name, known)))
		}
	}
	slices.Sort(wrong)
	return wrong
}

var dollarName = regexp.MustCompile(`(\\?)\$\(?\{?([A-Z0-9_]+)`)

// lostReferences finds values in which "$NAME" was meant as it stands. The parser replaces it by the
// variable of that name in the file, or by nothing, and a password would be wrong without a word.
func lostReferences(file string, src []byte, vars map[string]string) Problems {
	// A letter of the private use area hides "$" from the parser.
	const dollar = "\uE000"
	hidden, _ := parseEnv(bytes.ReplaceAll(src, []byte("$"), []byte(dollar))) // was parsed before
	var wrong Problems
	for name, value := range hidden {
		value = strings.ReplaceAll(value, dollar, "$")
		if value == vars[name] {
			continue // between single quotes
		}
		for _, m := range dollarName.FindAllStringSubmatch(value, -1) {
			if _, defined := vars[m[2]]; !defined && m[1] == "" {
				wrong = append(wrong, fmt.Sprintf(
					"%s: %s: has a $ that stands for another variable, and there is none of that name; put the value between single quotes",
					file, name))
				break
			}
		}
	}
	slices.Sort(wrong)
	return wrong
}

// didYouMean proposes the known name that is nearest to a misspelt one, if any is near.
func didYouMean(name string, known []string) string {
	best, distance := "", 3
	for _, k := range known {
		if d := textfile.EditDistance([]byte(name), []byte(k)); d < distance {
			best, distance = k, d
		}
	}
	if best == "" {
		return ""
	}
	return "; did you mean " + best + "?"
}

package rules

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nectar-bot/nectar/handlers/rules/internal/grammar"
	"github.com/nectar-bot/nectar/handlers/text"
	"github.com/nectar-bot/nectar/internal/textfile"
)

// Overlooked returns a hint for each thing in folders that is not read, or not as what it seems to be: 10-faq.yaml.txt, a
// folder in the folder, settings.yml. The hints do not change what is in force. others are folders that are read by
// themselves: where one of them lies in a folder, there is no hint.
func Overlooked(others []string, paths ...string) text.Problems {
	var problems text.Problems
	for _, path := range paths {
		entries, err := os.ReadDir(path)
		if err != nil {
			continue // it is a single file; other errors are told elsewhere
		}
		names := make([]string, len(entries))
		for i, e := range entries {
			names[i] = e.Name()
		}
		for _, e := range entries {
			if slices.ContainsFunc(others, func(other string) bool { return textfile.SamePlace(other, filepath.Join(path, e.Name())) }) {
				continue
			}
			if say := overlookedText(path, e, names); say != "" {
				problems = append(problems, text.Problem{File: e.Name(), Text: say, Hint: true})
			}
		}
	}
	return problems
}

// overlookedText says what people may not know about an entry of a folder of rule files; "" for nothing.
func overlookedText(dir string, e os.DirEntry, names []string) string {
	name := e.Name()
	stem, ext := strings.TrimSuffix(name, filepath.Ext(name)), filepath.Ext(name)
	switch {
	case strings.HasPrefix(name, "."):
		return ""
	case e.IsDir() && !holdsRules(filepath.Join(dir, name)):
		return ""
	case e.IsDir():
		return "folders in the folder are not read: put the files of this one beside the others"
	case slices.Contains([]string{".docx", ".doc", ".odt", ".rtf", ".pages", ".xlsx", ".ods"}, strings.ToLower(ext)):
		return "this is not read: rules stand in plain text, in a file that ends in .yaml; nectar init writes some to begin with"
	case ext == ".yml" && grammar.IsShared(stem+".yaml"):
		return fmt.Sprintf("this is read as a rule file: call it %s.yaml when it is for all of them", stem)
	case ext == ".yml" && slices.Contains(names, stem+".yaml"):
		return fmt.Sprintf("this is read as well as %s.yaml: keep one of the two", stem)
	case ext == ".yml":
		return fmt.Sprintf("this is read, like .yaml: call it %s.yaml, so that nobody looks for it", stem)
	case ext != ".yaml" && isRuleFile(strings.ToLower(name)):
		return fmt.Sprintf("this is not read: call it %s%s, in small letters", stem, strings.ToLower(ext))
	case strings.EqualFold(ext, ".txt") && isRuleFile(strings.ToLower(stem)):
		return fmt.Sprintf("this is not read: call it %s, without .txt", stem)
	}
	return ""
}

// holdsRules reports whether a folder has something like a rule file in it.
func holdsRules(dir string) bool {
	entries, err := os.ReadDir(dir)
	return err == nil && slices.ContainsFunc(entries, func(e os.DirEntry) bool { return isRuleFile(strings.ToLower(e.Name())) })
}

package rules

import (
	"reflect"

	"github.com/nectar-bot/nectar/handlers/rules/internal/checker"
	"github.com/nectar-bot/nectar/handlers/rules/internal/grammar"
	"github.com/nectar-bot/nectar/handlers/text"
)

// ReadAndCheck is everything of Check but compiling and running the tests in the files.
func ReadAndCheck(src Sources, options ...Option) text.Report {
	fo, problems := grammar.Read(src)
	fo.Around = aroundOf(options)
	problems = append(problems, checker.CheckFolder(fo)...)
	problems.Sort()
	return text.Report{Files: len(src), Problems: problems}
}

// Documents are the structs that files are decoded into.
func Documents() map[string]reflect.Type {
	return map[string]reflect.Type{
		"rules": reflect.TypeFor[grammar.File](), "settings": reflect.TypeFor[grammar.Settings](), "replies": reflect.TypeFor[grammar.Replies](),
	}
}

package rules

import (
	"reflect"
	"time"

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

// AsOf checks files as if it was another time: what is over then is hinted at.
func AsOf(now time.Time) Option { return Option{func(a *grammar.Around) { a.Now = now }} }

// Documents are the structs that files are decoded into.
func Documents() map[string]reflect.Type {
	return map[string]reflect.Type{
		"rules": reflect.TypeFor[grammar.File](), "settings": reflect.TypeFor[grammar.Settings](), "replies": reflect.TypeFor[grammar.Replies](),
	}
}

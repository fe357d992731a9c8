package rules

import (
	"reflect"

	"github.com/nectar-bot/nectar/handlers/text"
)

// ReadAndCheck is everything of Check but compiling and running the tests in the files.
func ReadAndCheck(src Sources, options ...Option) text.Report {
	fo, problems := read(src)
	fo.around = aroundOf(options)
	problems = append(problems, fo.check()...)
	problems.Sort()
	return text.Report{Files: len(src), Problems: problems}
}

// Documents are the structs that files are decoded into.
func Documents() map[string]reflect.Type {
	return map[string]reflect.Type{
		"rules": reflect.TypeFor[File](), "settings": reflect.TypeFor[Settings](), "replies": reflect.TypeFor[Replies](),
	}
}

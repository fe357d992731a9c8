package engine

import (
	"reflect"
	"strings"

	"github.com/nectar-bot/nectar/handlers/internal/template"
)

// IsRuleText reports whether a text is one that the rules say, with whatever stands for its variables; or several of them, joined into one message.
func (v *Version) IsRuleText(said string) bool {
	parts := strings.Split(strings.ReplaceAll(said, "\r\n", "\n"), "\n")
	// Some texts have several lines themselves, so whatever is left of a text may be the beginning of several.
	reached := make([]bool, len(parts)+1)
	reached[0] = true
	for from := range parts {
		if !reached[from] {
			continue
		}
		for to := from + 1; to <= len(parts); to++ {
			part := strings.Join(parts[from:to], "\n")
			reached[to] = reached[to] || from > 0 && strings.TrimSpace(part) == "" || v.saysOne(part)
		}
	}
	return reached[len(parts)]
}

func (v *Version) saysOne(said string) bool {
	for _, t := range v.said() {
		if t.MayBe(said) {
			return true
		}
	}
	return false
}

// allTemplates returns all texts that the files have.
func (v *Version) allTemplates() []template.Template {
	all := []template.Template{v.stopAnswer}
	for _, t := range v.Conversations {
		if t.TakeFromStart {
			all = append(all, notedIn(t.Rule.Scope.Language))
		}
	}
	collect(reflect.ValueOf(v.Folder), map[any]bool{}, &all)
	return all
}

// collect finds texts wherever the files have some, also in what rules learn to say later.
func collect(at reflect.Value, seen map[any]bool, all *[]template.Template) {
	switch at.Kind() { //nolint:exhaustive // the others hold none
	case reflect.Pointer:
		if at.IsNil() || seen[at.Pointer()] {
			return
		}
		seen[at.Pointer()] = true
		collect(at.Elem(), seen, all)
	case reflect.Interface:
		collect(at.Elem(), seen, all)
	case reflect.Slice, reflect.Array:
		for i := range at.Len() {
			collect(at.Index(i), seen, all)
		}
	case reflect.Map:
		for _, key := range at.MapKeys() {
			collect(at.MapIndex(key), seen, all)
		}
	case reflect.Struct:
		if t, ok := reflect.TypeAssert[template.Template](at); ok {
			*all = append(*all, t)
			return
		}
		for i := range at.NumField() {
			if at.Type().Field(i).IsExported() {
				collect(at.Field(i), seen, all)
			}
		}
	}
}

package config

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"strconv"
	"strings"
	"sync"

	"github.com/caarlos0/env/v11"
	"github.com/nectar-bot/nectar/platform"
)

// problem is a value's problem in words that follow the name of its setting.
type problem string

func (p problem) Error() string { return string(p) }

// Problems are all that is wrong with the configuration, one line each.
type Problems []string

// Error returns all of them.
func (p Problems) Error() string { return strings.Join(p, "\n") }

// form reads named texts into structs and collects what is wrong with them.
type form struct {
	values map[string]string // by key, which is the name of a variable without NECTAR_
	fields []field           // of the structs that were filled, in order
	wrong  map[string]string // the first problem of a key
	name   func(key string) string
	line   func(f field, problem string) string // the whole line about a problem of f
}

// newForm returns the form of the variables vars.
func newForm(vars map[string]string) *form {
	f := &form{values: map[string]string{}, wrong: map[string]string{}}
	for name, value := range vars {
		if key, ok := strings.CutPrefix(name, envPrefix); ok {
			f.values[key] = value
		}
	}
	f.name = func(key string) string { return envPrefix + key }
	f.line = func(fd field, problem string) string {
		return fmt.Sprintf("%s: %s (example: %[1]s=%[3]s)", f.name(fd.key), problem, fd.example)
	}
	return f
}

// field is a setting as the tags of its struct field tell it.
type field struct {
	name    string // in Go
	key     string
	preset  string // used when the setting is absent or empty
	as      string // how it is read, by readers; "" as its type is
	want    string // what a value is
	example string
	secret  bool // its values are not repeated
	at      bool // its values have an "@" in them
}

// inFile reports whether the value may stand in a file that a variable names: it is secret, or has a secret in it.
func (fd *field) inFile() bool { return fd.secret || fd.key == "STORE" }

var knownFields sync.Map // by type: there may be 100,000 accounts

// fieldsOf returns the settings in the struct type of v, in order.
func fieldsOf(v any) []field {
	t := reflect.Indirect(reflect.ValueOf(v)).Type()
	if known, ok := knownFields.Load(t); ok {
		fields, _ := known.([]field)
		return fields
	}
	var fields []field
	for _, sf := range reflect.VisibleFields(t) {
		key := sf.Tag.Get("env")
		if key == "" || key == "-" {
			continue
		}
		fields = append(fields, field{
			name: sf.Name, key: key, preset: sf.Tag.Get("envDefault") + sf.Tag.Get("preset"), as: sf.Tag.Get("as"),
			want: sf.Tag.Get("want"), example: sf.Tag.Get("example"),
			secret: sf.Type == reflect.TypeFor[platform.Secret](), at: key == "EMAIL",
		})
	}
	knownFields.Store(t, fields)
	return fields
}

// fillFields sets the fields of dst, a pointer to a struct with env tags.
func (f *form) fillFields(dst any) {
	fields := fieldsOf(dst)
	f.fields = append(f.fields, fields...)
	for _, fd := range fields {
		if !fd.secret {
			f.values[fd.key] = strings.TrimSpace(f.values[fd.key])
		}
	}
	values := maps.Clone(f.values)
	for _, fd := range fields {
		if fd.as != "" {
			delete(values, fd.key)
		}
	}
	err := env.ParseWithOptions(dst, env.Options{Environment: values})
	all, _ := errors.AsType[env.AggregateError](err)
	for _, err := range all.Errors {
		parse, ok := errors.AsType[env.ParseError](err)
		if !ok {
			panic(fmt.Sprintf("the settings in %T are declared wrongly: %v", dst, err))
		}
		for _, fd := range fields {
			if fd.name != parse.Name {
				continue
			}
			own, _ := errors.AsType[problem](parse.Err)
			f.refuseKey(fd.key, string(own))
			f.requireKey(fd.key, false)
		}
	}
	for _, fd := range fields {
		text := cmp.Or(f.values[fd.key], fd.preset)
		if fd.as == "" || text == "" {
			continue
		}
		value, wrong := readers[fd.as](text)
		if f.refuseKey(fd.key, string(wrong)); wrong == "" {
			reflect.ValueOf(dst).Elem().FieldByName(fd.name).Set(reflect.ValueOf(value))
		}
	}
}

// readers read what is written in another way than its type is, by the tag "as".
var readers = map[string]func(text string) (any, problem){
	"ceiling":   readCeiling,
	"hosts":     readHosts,
	"pace":      readPace,
	"rate":      readRate,
	"retention": readRetention,
	"size":      readSize,
	"takeover":  readTakeover,
}

// refuseKey says that the value of key has a problem. Of several problems the first is kept; "" is none.
func (f *form) refuseKey(key, problem string) {
	if problem != "" && f.wrong[key] == "" {
		f.wrong[key] = problem
	}
}

// requireKey refuses the value of key unless ok.
func (f *form) requireKey(key string, ok bool) {
	if ok {
		return
	}
	for _, fd := range f.fields {
		switch {
		case fd.key != key:
		case fd.secret, !fd.at && strings.Contains(f.values[key], "@"): // as in https://user:password@host
			f.refuseKey(key, "is not "+fd.want)
		default:
			f.refuseKey(key, quote(f.values[key])+" is not "+fd.want)
		}
	}
}

// problems returns the lines about everything that was refused, in the order of the fields.
func (f *form) problems() Problems {
	var lines Problems
	for _, fd := range f.fields {
		if p := f.wrong[fd.key]; p != "" {
			lines = append(lines, f.line(fd, p))
		}
	}
	return lines
}

// quote repeats a value on one line, cut when it is long.
func quote(value string) string {
	if r := []rune(value); len(r) > 60 {
		value = string(r[:60]) + "…"
	}
	return strconv.Quote(value)
}

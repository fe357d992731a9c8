package textfile

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

// decoder is what reads itself from a part of a file.
type decoder interface{ FromText(n Node) Problems }

// Decode reads the part into dst, which is a pointer. Structs take a mapping: their fields say the
// key in a tag, `text:"key"` or `text:"key,required"`; embedded structs share the keys of the struct
// around them; an embedded [At] is filled in; fields without a tag are left alone. Fields may be
// strings, booleans, integers, floats, structs, pointers, slices, and what has a method FromText(Node) Problems
// on its pointer, which reads itself from a part that is there: unions, and values as those of handlers/text.
// Everything that is wrong is returned, not only what is wrong first, up to 200 problems.
//
// A FromText that wants to be read as a struct decodes into a type of its own that has no FromText.
//
// The whole of a file that could not be read to its end is not decoded: what is missing there would be told as missing.
//
// It panics when dst is nothing that can be decoded into: that is a mistake of the program.
func (n Node) Decode(dst any) Problems {
	v := reflect.ValueOf(dst)
	if v.Kind() != reflect.Pointer || v.IsNil() {
		panic(fmt.Sprintf("textfile: cannot decode into %T", dst))
	}
	if n.file != nil && n.file.broken && n.at == &n.file.root {
		return nil
	}
	d := decoding{}
	d.value(n, v.Elem(), n.planOf(v.Type().Elem()))
	return d.problems
}

// plan is how a type is read. A file makes it once for each type.
type plan struct {
	how    func(d *decoding, n Node, v reflect.Value, p *plan)
	fields *fields
	elem   reflect.Type
}

var (
	decoderType = reflect.TypeFor[decoder]()
	nodeType    = reflect.TypeFor[Node]()
)

// planOf returns the plan of a type.
func (n Node) planOf(t reflect.Type) *plan {
	if n.file == nil {
		return newPlan(t)
	}
	if p, ok := n.file.plans.Load(t); ok {
		return p.(*plan)
	}
	p := newPlan(t)
	n.file.plans.Store(t, p)
	return p
}

func newPlan(t reflect.Type) *plan {
	switch {
	case t == nodeType:
		return &plan{how: readNode}
	case reflect.PointerTo(t).Implements(decoderType):
		return &plan{how: readDecoder}
	}
	switch t.Kind() {
	case reflect.Pointer:
		return &plan{how: readPointer, elem: t.Elem()}
	case reflect.Slice:
		return &plan{how: readSlice, elem: t.Elem()}
	case reflect.Struct:
		return &plan{how: readStruct, fields: fieldsOf(t)}
	case reflect.String:
		return &plan{how: readString}
	case reflect.Bool:
		return &plan{how: readBool}
	case reflect.Int, reflect.Int64:
		return &plan{how: readInt}
	case reflect.Float64:
		return &plan{how: readFloat}
	default:
		panic(fmt.Sprintf("textfile: a %s cannot be read from a file", t))
	}
}

// decoding collects what is wrong.
type decoding struct{ problems Problems }

// isFull reports whether nothing more is told.
func (d *decoding) isFull() bool { return len(d.problems) >= maxTold }

func (d *decoding) add(problems ...Problem) {
	room := maxTold - len(d.problems)
	d.problems = append(d.problems, problems[:min(max(room, 0), len(problems))]...)
}

// value reads n into v. Of a part with which something is wrong that Parse told, nothing more is told.
func (d *decoding) value(n Node, v reflect.Value, p *plan) {
	before := len(d.problems)
	p.how(d, n, v, p)
	if n.at != nil && n.at.told {
		d.problems = d.problems[:before]
	}
}

func readNode(_ *decoding, n Node, v reflect.Value, _ *plan) { v.Set(reflect.ValueOf(n)) }

func readDecoder(d *decoding, n Node, v reflect.Value, _ *plan) {
	d.add(v.Addr().Interface().(decoder).FromText(n)...)
}

func readPointer(d *decoding, n Node, v reflect.Value, p *plan) {
	v.Set(reflect.New(p.elem))
	d.value(n, v.Elem(), n.planOf(p.elem))
}

func readSlice(d *decoding, n Node, v reflect.Value, p *plan) {
	if n.Kind() != Sequence {
		d.add(n.mustBe("a list"))
		return
	}
	d.readItems(n, v, n.planOf(p.elem))
}

// readItems reads the items of a list into the slice v.
func (d *decoding) readItems(n Node, v reflect.Value, elem *plan) {
	v.Set(reflect.MakeSlice(v.Type(), len(n.at.parts), len(n.at.parts)))
	for i := range n.at.parts {
		item := n.itemAt(i)
		if item.Kind() == Missing {
			d.add(item.emptyItem())
			continue
		}
		d.value(item, v.Index(i), elem)
	}
}

func readString(d *decoding, n Node, v reflect.Value, _ *plan) {
	s, problems := n.readWord()
	d.add(problems...)
	v.SetString(s)
}

func readBool(d *decoding, n Node, v reflect.Value, _ *plan) {
	switch n.String() {
	case "true":
		v.SetBool(true)
	case "false":
	default:
		d.add(n.mustBe("true or false"))
	}
}

func readInt(d *decoding, n Node, v reflect.Value, _ *plan) {
	i, err := strconv.ParseInt(n.String(), 10, v.Type().Bits())
	if err != nil || n.Kind() != Scalar || strconv.FormatInt(i, 10) != n.String() {
		d.add(n.mustBe("a whole number such as 3"))
		return
	}
	v.SetInt(i)
}

func readFloat(d *decoding, n Node, v reflect.Value, _ *plan) {
	x, ok := parseNumber(n.String())
	if !ok || n.Kind() != Scalar {
		d.add(n.mustBe("a number such as 3 or 2.5"))
		return
	}
	v.SetFloat(x)
}

// mustBe tells that something else was expected.
func (n Node) mustBe(what string) Problem {
	const aList = "a list"
	name := n.key
	switch {
	case n.file != nil && n.at == &n.file.root:
		name = "the file"
	case name == "":
		name = "this"
	}
	switch n.Kind() {
	case Sequence:
		return n.Problem("%s must be %s, not a list", name, what)
	case Mapping:
		if p, ok := n.colonTrap(); ok {
			return p
		}
		if what == aList && len(n.at.parts) > 0 {
			return n.Problem("%s must be a list, not keys with values: put a dash in front of the first key of each thing in it: - %s:", name, cut(n.at.parts[0].text, 40))
		}
		return n.Problem("%s must be %s, not keys with values", name, what)
	case Missing:
		return n.Problem("%s must be %s: nothing stands here", name, what)
	default:
		return n.Problem("%s must be %s, not %s", name, what, quote(n.String()))
	}
}

// emptyItem tells that nothing stands behind a dash.
func (n Node) emptyItem() Problem {
	if n.at.hash > 0 {
		return n.eatenProblem()
	}
	return n.Problem("there is nothing behind this dash: write something, or delete it")
}

// emptyValue tells that nothing stands behind a key.
func (n Node) emptyValue() Problem {
	if n.at != nil && n.at.hash > 0 {
		return n.eatenProblem()
	}
	return n.Problem("%s is empty: write something behind the colon, or delete the line", n.key)
}

// unknownKey tells that a key is not one of known, and returns the one that was meant.
func unknownKey(key Node, known []string) (p Problem, meant string) {
	name := key.String()
	if ours := foreignWord(name, known); ours != "" {
		return key.Problem("you wrote %s, here it is called %s", quote(name), quote(ours)), ours
	}
	if near := NearestWord(name, known); near != "" {
		return key.Problem("there is no %s here. Did you mean %s?", quote(name), quote(near)), near
	}
	const most = 12
	list := strings.Join(known[:min(len(known), most)], ", ")
	if len(known) > most {
		list += ", …"
	}
	return key.Problem("there is no %s here. There are: %s", quote(name), list), ""
}

// parseNumber reads a number such as 3, -3 or 2.5.
func parseNumber(s string) (float64, bool) {
	digits := strings.TrimPrefix(s, "-")
	whole, rest, dot := strings.Cut(digits, ".")
	if whole == "" || strings.ContainsFunc(whole+rest, notDigit) || dot && rest == "" || len(s) > 30 {
		return 0, false
	}
	x, err := strconv.ParseFloat(s, 64)
	return x, err == nil
}

func notDigit(ch rune) bool { return ch < '0' || ch > '9' }

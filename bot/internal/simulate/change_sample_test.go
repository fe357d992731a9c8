package simulate_test

import (
	"strings"
	"testing"
)

// sample is the source that the changes below are made to.
const sample = `package p

func f(a, b, c bool, n int, call func(int) int, more []int) (int, error) {
	if a && b && c { //mutate:if
		n++ //mutate:count
		call(n)
		call(0)
	}
	//mutate:range
	for range more {
		n, a = 1, b //mutate:assign
	}
	x := call(n) > 1 || !c //mutate:define
	switch {
	case a, b || x: //mutate:case
		call(2) //mutate:call
	}
	any(more, func(n int) bool { return n > 0 }) //mutate:literal
	s := T{
		A: a, //mutate:field
	}
	u := T{B: b, C: c} //mutate:composite
	_ = "x = 'a'" + u.String() //mutate:text
	return call(n), nil //mutate:return
}
`

// Each change does to its place what it says, and refuses a place of another shape.
func TestChanges(t *testing.T) {
	t.Parallel()
	sites := map[string]site{}
	if err := addMarked(sites, "p.go", []byte(sample)); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		at        string
		do        change
		old, want string // of the source; a change that is refused has an error that has want in it
	}{
		{"if", never, "if a && b && c {", "if (false && (a && b && c)) {"},
		{"if", always, "if a && b && c {", "if (true || (a && b && c)) {"},
		{"if", without(2, 3), "a && b && c", "a && (true || (b)) && c"},
		{"if", without(2, 2), "", "want 2 operands"},
		{"if", operand(1, 3, replace("n > 0")), "a && b", "(n > 0) && b"},
		{"if", and("n > 0"), "if a && b && c {", "if ((a && b && c) && n > 0) {"},
		{"if", begin("return 0, nil"), "c { //", "c { return 0, nil;  //"},
		{"if", swap("b", "x"), "a && b", "a && x"},
		{"if", swap("n", "x"), "", "n: want one"},
		{"if", unassign(1, 2), "", "want an assignment"},
		{"count", drop, "n++ //", "if false { n++ } //"},
		{"count", drops(3), "n++ //mutate:count\n\t\tcall(n)\n\t\tcall(0)", "if false { n++ //mutate:count\n\t\tcall(n)\n\t\tcall(0) }"},
		{"count", drops(4), "", "with 3 behind it"},
		{"count", never, "", "want a condition"},
		{"range", drop, "for range more {\n\t\tn, a = 1, b //mutate:assign\n\t}", "if false { for range more {\n\t\tn, a = 1, b //mutate:assign\n\t} }"},
		{"assign", unassign(1, 2), "n, a = 1, b", "a = b"},
		{"assign", unassign(2, 2), "n, a = 1, b", "n = 1"},
		{"assign", swap("b", "c"), "= 1, b", "= 1, c"},
		{"define", drop, "", "declares nothing"},
		{"define", without(1, 2), "call(n) > 1 ||", "(false && (call(n) > 1)) ||"},
		{"define", operand(1, 2, operator("<")), "> 1", "< 1"},
		{"define", replace("x := true"), "x := call(n) > 1 || !c", "x := true"},
		{"case", always, "case a,", "case (true || (a)),"},
		{"case", never, "case a, b || x:", "case (false && (a)), (false && (b || x)):"},
		{"case", alternative(2, 2, without(2, 2)), "b || x:", "b || (false && (x)):"},
		{"case", alternative(1, 3, never), "", "want a case of 3"},
		{"case", each(alternative(1, 2, never), begin("n--")), "case a, b || x:", "case (false && (a)), b || x: n--; "},
		{"case", each(always, alternative(1, 2, never)), "", "overlap"},
		{"call", deferred, "call(2)", "defer call(2)"},
		{"literal", inner(never), "return n > 0", "return (false && (n > 0))"},
		{"literal", inner(replace("a")), "return n > 0", "return a"},
		{"literal", idle, "{ return n > 0 }", "{ if false { return n > 0 } }"},
		{"field", drop, "A: a, //", " //"},
		{"field", never, "A: a,", "A: (false && (a)),"},
		{"composite", field("B", never), "B: b,", "B: (false && (b)),"},
		{"composite", field("C", drop), "C: c}", "}"},
		{"composite", field("D", drop), "", "of that kind instead of 0"},
		{"text", reword("'a'", "'b'"), "'a'", "'b'"},
		{"text", deferred, "", "want a call"},
		{"return", returns("0, nil"), "return call(n), nil", "return 0, nil"},
		{"return", drop, "", "want a statement to drop"},
	} {
		got, err := sites[c.at].change(c.do)
		switch {
		case c.old == "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s: want an error with %q, got %v", c.at, c.want, err)
		case c.old == "":
		case strings.Count(sample, c.old) != 1:
			t.Errorf("%q is there %d times", c.old, strings.Count(sample, c.old))
		case err != nil:
			t.Errorf("%s: %v", c.at, err)
		case string(got) != strings.Replace(sample, c.old, c.want, 1):
			t.Errorf("%s: %q shall be %q, got\n%s", c.at, c.old, c.want, got)
		}
	}
}

// A marker has a name of its own and something to mark.
func TestMarkers(t *testing.T) {
	t.Parallel()
	for src, want := range map[string]string{
		"//mutate:a\nvar x int\n":                                  "",
		"var x int //mutate:a\n":                                   "",
		"var x int //mutate:a\n\nvar y int //mutate:a\n":           "another marker a",
		"var x int //mutate:A\n":                                   "small letters",
		"var x int //mutate:a b\n":                                 "small letters",
		"//mutate:a\n\nvar x int\n":                                "nothing begins",
		"var x int\n\n//mutate:a\n":                                "nothing begins",
		"var x = []int{\n\t1,\n} //mutate:a\n":                     "nothing begins",
		"func f() {\n\tif a {\n\t} else if b { //mutate:a\n\t}\n}": "",
	} {
		err := addMarked(map[string]site{}, "p.go", []byte("package p\n\n"+src))
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("want %q, got %v:\n%s", want, err, src)
		}
	}
}

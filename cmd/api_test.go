package cmd

import (
	"bytes"
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
)

// The public face only gets smaller. Lower these when it has. To raise one is a decision of its own, with its reason in the commit.
const (
	mostNames = 996 // types, functions and methods of all packages that something is promised of
	mostLines = 607 // what "go doc -short" prints of them, all together
	mostFirst = 649 // the names that who writes a bot meets: of the packages in firstPackages
)

// firstPackages are those with which bots are written.
var firstPackages = []string{
	"bot", "bot/event", "bot/conversation", "handlers", "handlers/rules", "platform", "platform/session", "plugins/autoresponder", "plugins/campaigns",
	"plugins/metrics", "plugins/welcome",
}

// unpromised stands in the first line of a package that is public since the program or the tests of another tree use it, and that may change at any time.
const unpromised = " (nothing is promised of it) "

const apiFile = "../docs/api.txt"

// docs/api.txt shows each change of the public face to whoever reads a commit.
func TestAPIIsWrittenDown(t *testing.T) {
	have := apiText(publicPackages(t))
	if *update {
		if err := os.WriteFile(apiFile, []byte(have), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(apiFile)
	if err != nil {
		t.Fatal(err)
	}
	if diff := changedLines(string(want), have); diff != "" {
		t.Errorf("the public face is another one than in docs/api.txt:\n%s"+
			"Is that meant? Then write the file anew, and commit it with the change: go test ./cmd -run TestAPI -update", diff)
	}
}

func TestAPIOnlyGetsSmaller(t *testing.T) {
	var names, lines, first int
	for _, pkg := range publicPackages(t) {
		names += pkg.names()
		lines += pkg.lines()
		if slices.Contains(firstPackages, pkg.path) {
			first += pkg.names()
		}
	}
	if first > mostFirst {
		t.Errorf("the packages with which bots are written have %d types, functions and methods, at most %d are allowed", first, mostFirst)
	}
	if names > mostNames {
		t.Errorf("the public packages have %d types, functions and methods, at most %d are allowed: put what is new below an internal/, "+
			"or do not export it (docs/stability.md)", names, mostNames)
	}
	if lines > mostLines {
		t.Errorf("go doc -short prints %d lines of the public packages, at most %d are allowed: put what is new below an internal/, "+
			"or do not export it (docs/stability.md)", lines, mostLines)
	}
	t.Logf("%d types, functions and methods (at most %d), %d of them where bots are written (at most %d); %d lines of go doc -short (at most %d)",
		names, mostNames, first, mostFirst, lines, mostLines)
}

func TestAPIOfAPackage(t *testing.T) {
	pkg := newPublicPackage("hive")
	for _, source := range []string{`package hive
type (
	Bee[E any] struct { Name, Kind string; queen bool; *Wing; io.Reader }
	Wing = wing
	Matcher interface { Match(string) bool; fmt.Stringer; hidden() }
	wing struct{}
)
const ( Red Colour = iota; Green; blue )
const white = 1
var ErrStung error
func Fly[E any](to, from string,
	each ...func(E) error) (int, error) { return 0, nil }
func (b *Bee[E]) Land() {}
func (w wing) Beat() {}
`, `package hive
func Fly[E any](to, from string, each ...func(E) error) (int, error)
func (Bee[E]) String() string
`} {
		file, err := parser.ParseFile(token.NewFileSet(), "hive.go", source, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		pkg.add(file)
	}
	want := `
# hive: 3 types, 1 function, 2 methods; 2 constants, 1 variable, 6 fields
type hive.Bee[E any] struct
field hive.Bee.Kind string
method (*hive.Bee[E]).Land()
field hive.Bee.Name string
field hive.Bee.Reader io.Reader
method (hive.Bee[E]).String() string
field hive.Bee.Wing *Wing
var hive.ErrStung error
func hive.Fly[E any](to, from string, each ...func(E) error) (int, error)
const hive.Green
type hive.Matcher interface
field hive.Matcher.Match func(string) bool
field hive.Matcher.fmt.Stringer
const hive.Red Colour
type hive.Wing = wing
`
	if diff := gocmp.Diff(want, pkg.text()); diff != "" {
		t.Error(diff)
	}
	if names, lines := pkg.names(), pkg.lines(); names != 6 || lines != 6 {
		t.Errorf("%d names in %d lines, not 6 in 6", names, lines)
	}
}

// A publicPackage is what others can use of a package, by the lines of docs/api.txt. It is read from syntax alone, of
// all systems: what a type gets from one that it embeds is not there.
type publicPackage struct {
	path       string
	name       string
	entries    map[string]apiEntry // by their lines
	unpromised bool
	groups     map[string]bool // the first exported name of each declaration of constants or variables
}

type apiEntry struct{ sort, kind string }

func newPublicPackage(path string) *publicPackage {
	return &publicPackage{path: path, entries: map[string]apiEntry{}, groups: map[string]bool{}}
}

// publicPackages are all that another module can import and that something is promised of.
func publicPackages(t *testing.T) []*publicPackage {
	t.Helper()
	return slices.DeleteFunc(importablePackages(t), func(p *publicPackage) bool { return p.unpromised })
}

// importablePackages are all that another module can import.
func importablePackages(t *testing.T) []*publicPackage {
	t.Helper()
	packages := map[string]*publicPackage{}
	for name, file := range sourceFiles(t) {
		dir := path.Dir(name)
		hidden := func(folder string) bool { return folder == "internal" || strings.HasPrefix(folder, "_") }
		if strings.HasSuffix(name, "_test.go") || file.syntax.Name.Name == "main" || slices.ContainsFunc(strings.Split(dir, "/"), hidden) {
			continue
		}
		if packages[dir] == nil {
			packages[dir] = newPublicPackage(dir)
		}
		packages[dir].add(file.syntax)
		if doc := file.syntax.Doc; doc != nil && strings.Contains(strings.SplitN(doc.Text(), "\n", 2)[0], unpromised) {
			packages[dir].unpromised = true
		}
	}
	if len(packages) < 5 {
		t.Fatalf("only %d packages were looked at", len(packages))
	}
	return slices.SortedFunc(maps.Values(packages), func(a, b *publicPackage) int { return cmp.Compare(a.path, b.path) })
}

func (p *publicPackage) add(file *ast.File) {
	p.name = file.Name.Name
	for _, decl := range file.Decls {
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			p.function(decl)
		case *ast.GenDecl:
			p.declaration(decl)
		}
	}
}

func (p *publicPackage) function(f *ast.FuncDecl) {
	if !f.Name.IsExported() {
		return
	}
	signature := strings.TrimPrefix(code(f.Type), "func")
	if f.Recv == nil {
		p.put("func", f.Name.Name, p.name+"."+f.Name.Name+signature)
		return
	}
	receiver := code(f.Recv.List[0].Type)
	bare, star := strings.TrimPrefix(receiver, "*"), ""
	if bare != receiver {
		star = "*"
	}
	if ast.IsExported(bare) {
		of, _, _ := strings.Cut(bare, "[")
		p.put("method", of+"."+f.Name.Name, fmt.Sprintf("(%s%s.%s).%s%s", star, p.name, bare, f.Name.Name, signature))
	}
}

func (p *publicPackage) declaration(decl *ast.GenDecl) {
	first := ""
	for _, spec := range decl.Specs {
		switch spec := spec.(type) {
		case *ast.TypeSpec:
			if spec.Name.IsExported() {
				p.typ(spec)
			}
		case *ast.ValueSpec:
			for _, name := range spec.Names {
				if name.IsExported() {
					first = cmp.Or(first, name.Name)
					p.put(decl.Tok.String(), name.Name, strings.TrimSpace(p.name+"."+name.Name+" "+code(spec.Type)))
				}
			}
		}
	}
	if first != "" {
		p.groups[first] = true
	}
}

func (p *publicPackage) typ(spec *ast.TypeSpec) {
	name := spec.Name.Name
	var fields *ast.FieldList
	is := ""
	switch typ := spec.Type.(type) {
	case *ast.StructType:
		is, fields = "struct", typ.Fields
	case *ast.InterfaceType:
		is, fields = "interface", typ.Methods
	default:
		is = code(typ)
	}
	if spec.Assign.IsValid() {
		is = "= " + is
	}
	p.put("type", name, p.name+"."+name+parameters(spec.TypeParams)+" "+is)
	if fields == nil {
		return
	}
	for _, field := range fields.List {
		typ := code(field.Type)
		for _, of := range field.Names {
			if of.IsExported() {
				p.put("field", name+"."+of.Name, p.name+"."+name+"."+of.Name+" "+typ)
			}
		}
		embedded := typ[strings.LastIndexAny(typ, "*.")+1:]
		switch {
		case len(field.Names) > 0 || !ast.IsExported(embedded) && is == "struct":
		case is == "struct":
			p.put("field", name+"."+embedded, p.name+"."+name+"."+embedded+" "+typ)
		default:
			p.put("field", name+"."+typ, p.name+"."+name+"."+typ)
		}
	}
}

func (p *publicPackage) put(kind, sort, line string) {
	p.entries[kind+" "+line] = apiEntry{sort: sort, kind: kind}
}

func (p *publicPackage) count(kind string) int {
	n := 0
	for _, entry := range p.entries {
		if entry.kind == kind {
			n++
		}
	}
	return n
}

// names counts what a reader has to know: a constant or a field explains itself beside its type.
func (p *publicPackage) names() int { return p.count("type") + p.count("func") + p.count("method") }

// lines is how many "go doc -short" prints: a line for each declaration of constants or variables, however many it has.
func (p *publicPackage) lines() int { return len(p.groups) + p.count("type") + p.count("func") }

func (p *publicPackage) text() string {
	lines := slices.SortedFunc(maps.Keys(p.entries), func(a, b string) int {
		return cmp.Or(cmp.Compare(p.entries[a].sort, p.entries[b].sort), cmp.Compare(a, b))
	})
	return fmt.Sprintf("\n# %s: %s, %s, %s; %s, %s, %s\n%s\n", p.path,
		counted(p.count("type"), "type"), counted(p.count("func"), "function"), counted(p.count("method"), "method"),
		counted(p.count("const"), "constant"), counted(p.count("var"), "variable"), counted(p.count("field"), "field"),
		strings.Join(lines, "\n"))
}

func apiText(packages []*publicPackage) string {
	var names, lines int
	var b strings.Builder
	for _, pkg := range packages {
		names += pkg.names()
		lines += pkg.lines()
		b.WriteString(pkg.text())
	}
	return fmt.Sprintf("# The public face: what other modules can use. Made by: go test ./cmd -run TestAPI -update\n"+
		"# %s, %s (types, functions and methods), %s of go doc -short\n", counted(len(packages), "package"), counted(names, "name"), counted(lines, "line")) + b.String()
}

func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// code is syntax on one line.
func code(node ast.Node) string {
	if node == nil {
		return ""
	}
	var b bytes.Buffer
	if err := (&printer.Config{Mode: printer.RawFormat}).Fprint(&b, token.NewFileSet(), node); err != nil {
		return err.Error()
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

func parameters(list *ast.FieldList) string {
	if list == nil {
		return ""
	}
	signature := code(&ast.FuncType{Params: &ast.FieldList{List: list.List}})
	return "[" + strings.TrimSuffix(strings.TrimPrefix(signature, "func("), ")") + "]"
}

// changedLines are the lines that only one of two texts has.
func changedLines(old, now string) string {
	had, have := strings.Split(old, "\n"), strings.Split(now, "\n")
	var b strings.Builder
	for _, line := range had {
		if !slices.Contains(have, line) {
			fmt.Fprintf(&b, "  - %s\n", line)
		}
	}
	for _, line := range have {
		if !slices.Contains(had, line) {
			fmt.Fprintf(&b, "  + %s\n", line)
		}
	}
	if b.Len() == 0 && old != now {
		return "  the same lines in another order, or one of them twice\n"
	}
	return b.String()
}

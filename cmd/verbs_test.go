package cmd

import (
	"go/ast"
	gotypes "go/types"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nectar-bot/nectar/bot/bottest/effort"
)

// standardVerbs are of the standard library's kind: whoever knows it knows what these do.
var standardVerbs = words(`
	abort accept acquire add allow append apply begin bind broadcast build call cancel check clear clone close commit compact compare compile
	connect contains convert copy count cut decode decrypt delete dial discard divide do done drain draw dump encode encrypt end equal exec execute
	exit expand export extract fail filter find flush format free get grow handle has hash import index init insert inspect intersect join kill len
	less listen load lock log lookup main map marshal match max merge migrate min move must new next notify open parse pause peek ping poll pop
	prepare print publish pull push put query quit quote read reconcile recover register release remove rename render repeat replace reserve reset
	resize resolve restart restore resume retry return reverse revoke rlock rollback round run runlock save scan schedule seal search seek select
	send serve set shift shuffle shutdown sign signal skip sleep sort split start stat stop store str string sub sum swap sync test trim truncate
	trylock unlock unmarshal unquote unregister unwrap update validate verify visit wait wake walk watch wrap write yield`)

// standardNouns are what methods of the standard library are called by that return just that.
var standardNouns = words(`
	all at bool bytes err error each id int is key keys kind label line lines name names now rate size text time type value values version`)

func words(all string) map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(all) {
		set[w] = true
	}
	return set
}

// oneWordFile names functions that are as good in one word, or have none better yet. It only gets shorter: lower mostOneWord with it.
const (
	oneWordFile = "testdata/one_word.txt"
	mostOneWord = 15
)

// Who meets a function in another file than its own knows what it does: one word says that of a verb that everybody knows, or of a noun for what is
// returned; what else there is has a verb and its object.
func TestFunctionsUsedElsewhereSayWhatTheyDo(t *testing.T) {
	effort.Shared(t)
	m := moduleTypes(t)
	elsewhere := map[*gotypes.Func]string{} // a file
	for id, o := range m.info.Uses {
		if f, ok := o.(*gotypes.Func); ok {
			f = f.Origin()
			if there := m.file(id); there != m.fileOf(f) && (elsewhere[f] == "" || there < elsewhere[f]) {
				elsewhere[f] = there
			}
		}
	}
	excepted, public := exceptions(t), m.publicMethods()
	for f, there := range elsewhere {
		if f.Pkg() == nil || !strings.HasPrefix(f.Pkg().Path(), module) || len(wordsOf(f.Name())) != 1 || m.saysWhatItDoes(f, public) {
			continue
		}
		if name := nameOf(f); !excepted[name] {
			t.Errorf("%s:%d: %s is used in %s, too, where its one word does not say what it does: call it by a verb and its object, such as waitOutRefusal "+
				"or notePoll; is it a verb that the standard library has, put it into standardVerbs", m.fileOf(f), m.set.Position(f.Pos()).Line, name, there)
		} else {
			delete(excepted, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(excepted)) {
		t.Errorf("%s is in cmd/%s, and need not be: take the line out, and lower mostOneWord", name, oneWordFile)
	}
}

// exceptions are the lines of oneWordFile.
func exceptions(t *testing.T) map[string]bool {
	t.Helper()
	content, err := os.ReadFile(oneWordFile)
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for line := range strings.Lines(string(content)) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			names[line] = true
		}
	}
	if len(names) > mostOneWord {
		t.Errorf("%s has %d names, %d are allowed: it only gets shorter", oneWordFile, len(names), mostOneWord)
	}
	return names
}

// saysWhatItDoes reports whether the one word of a function is enough.
func (m *typedModule) saysWhatItDoes(f *gotypes.Func, public map[string]bool) bool {
	word, isMethod := strings.ToLower(f.Name()), f.Signature().Recv() != nil
	switch {
	case standardVerbs[word], isMethod && standardNouns[word]:
		return true
	case f.Exported() && (!strings.Contains(f.Pkg().Path(), "/internal/") || public[f.Name()] || public[receiverOf(f)+"."+f.Name()]):
		return true // users' code is written with it
	}
	return isMethod && m.returnsWhatItIsCalled(f)
}

// returnsWhatItIsCalled reports whether a method is called by what it returns: by the type of that, or by a field.
func (m *typedModule) returnsWhatItIsCalled(f *gotypes.Func) bool {
	s, word := f.Signature(), strings.ToLower(f.Name())
	if s.Results().Len() == 0 || s.Params().Len() > 0 && !f.Exported() {
		return false
	}
	result, isMany := s.Results().At(0).Type(), false
	switch of := result.(type) {
	case *gotypes.Slice:
		result, isMany = of.Elem(), true
	case *gotypes.Map:
		result, isMany = of.Elem(), true
	}
	of := strings.ToLower(typeName(result))
	if strings.HasSuffix(of, word) || isMany && (strings.HasSuffix(of+"s", word) || strings.HasSuffix(of+"es", word) || strings.HasSuffix(strings.TrimSuffix(of, "y")+"ies", word)) {
		return true
	}
	body := m.bodies[f]
	if body == nil || len(body.List) != 1 {
		return false
	}
	r, ok := body.List[0].(*ast.ReturnStmt)
	if !ok || len(r.Results) == 0 {
		return false
	}
	e := r.Results[0]
	if c, ok := e.(*ast.CallExpr); ok && len(c.Args) == 0 { // of an atomic field
		if s, ok := c.Fun.(*ast.SelectorExpr); ok {
			e = s.X
		}
	}
	if u, ok := e.(*ast.UnaryExpr); ok {
		e = u.X
	}
	field, ok := e.(*ast.SelectorExpr)
	return ok && strings.EqualFold(field.Sel.Name, f.Name())
}

// publicMethods are the names of what is demanded by the interfaces of public packages, and the methods of their types, by TYPE.NAME: what stands behind
// one is called like it.
func (m *typedModule) publicMethods() map[string]bool {
	names := map[string]bool{}
	for path, p := range m.packages {
		if !strings.HasPrefix(path, module) || strings.Contains(path, "/internal/") {
			continue
		}
		for _, name := range p.Scope().Names() {
			named, ok := gotypes.Unalias(p.Scope().Lookup(name).Type()).(*gotypes.Named)
			if !ok || !p.Scope().Lookup(name).Exported() {
				continue
			}
			for f := range named.Methods() {
				names[name+"."+f.Name()] = true
			}
			if face, ok := named.Underlying().(*gotypes.Interface); ok {
				for f := range face.ExplicitMethods() {
					names[f.Name()] = true
				}
			}
		}
	}
	return names
}

func (m *typedModule) file(n ast.Node) string {
	return filepath.ToSlash(strings.TrimPrefix(m.set.Position(n.Pos()).Filename, ".."+string(filepath.Separator)))
}

func (m *typedModule) fileOf(f *gotypes.Func) string {
	return filepath.ToSlash(strings.TrimPrefix(m.set.Position(f.Pos()).Filename, ".."+string(filepath.Separator)))
}

// nameOf returns a function's name, with its folder and, of a method, its type.
func nameOf(f *gotypes.Func) string {
	name := strings.TrimPrefix(f.Pkg().Path(), module)
	if r := receiverOf(f); r != "" {
		name += "." + r
	}
	return name + "." + f.Name()
}

// receiverOf returns the name of a method's type; "" for a function.
func receiverOf(f *gotypes.Func) string {
	if r := f.Signature().Recv(); r != nil {
		return typeName(r.Type())
	}
	return ""
}

// typeName returns the name of a type, or of what it points to; "" for one without a name.
func typeName(t gotypes.Type) string {
	if p, ok := t.(*gotypes.Pointer); ok {
		t = p.Elem()
	}
	if n, ok := gotypes.Unalias(t).(*gotypes.Named); ok {
		return n.Obj().Name()
	}
	return ""
}

// A receiver is the same in all methods of a type, and has letters of its name, in their order: a for Account, cr for chatReader.
func TestReceiversAreCalledByTheirTypes(t *testing.T) {
	first := map[string]string{} // by folder and type
	files := programFiles(t)
	for _, path := range slices.Sorted(maps.Keys(files)) {
		file := files[path]
		for _, d := range file.syntax.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || f.Recv == nil || len(f.Recv.List[0].Names) == 0 || f.Recv.List[0].Names[0].Name == "_" {
				continue
			}
			name, of := f.Recv.List[0].Names[0].Name, receiver(f)
			key := filepath.Dir(path) + "." + of
			switch {
			case first[key] == "":
				first[key] = name
			case first[key] != name:
				t.Errorf("%s:%d: the receiver of %s is %s, and %s elsewhere: call it the same everywhere", path, file.set.Position(f.Pos()).Line, of, name, first[key])
			}
			if !hasLettersOf(name, of) {
				t.Errorf("%s:%d: the receiver %s has other letters than %s", path, file.set.Position(f.Pos()).Line, name, of)
			}
		}
	}
	if len(first) < 100 {
		t.Errorf("only %d types have methods", len(first))
	}
}

// hasLettersOf reports whether the letters of a name are those of a type, in their order.
func hasLettersOf(name, of string) bool {
	rest := strings.ToLower(of)
	for _, r := range strings.ToLower(name) {
		i := strings.IndexRune(rest, r)
		if i < 0 {
			return false
		}
		rest = rest[i+1:]
	}
	return true
}

//go:build !race

// With the race detector nothing of this is told: it reads types, in one goroutine, for half a minute.

package simulate_test

import (
	"errors"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nectar-bot/nectar/bot/bottest/effort"
)

// Each mutation still compiles: the code that some of them bring has names of the source in it.
func TestMutationsCompile(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	sites, err := marked()
	if err != nil {
		t.Fatal(err)
	}
	c := newCompiler(t, sites)
	for _, m := range mutations() {
		file, changed, err := m.apply(sites)
		if err == nil {
			err = c.check(file, changed)
		}
		if err != nil {
			t.Errorf("%s: %v", m.name, err)
		}
	}
}

// compiler tells what is wrong with a changed file, from the types alone.
type compiler struct {
	fset     *token.FileSet
	importer types.Importer
	packages map[string]map[string]*ast.File // by folder and path, without the bodies of functions
}

// newCompiler reads the packages that have markers.
func newCompiler(t *testing.T, sites map[string]site) *compiler {
	t.Helper()
	c := &compiler{fset: token.NewFileSet(), packages: map[string]map[string]*ast.File{}}
	args := []string{"list", "-export", "-deps", "-f", "{{.ImportPath}}\t{{.Export}}\t{{.Dir}}\t{{join .GoFiles \" \"}}"}
	for _, s := range sites {
		if dir := filepath.Dir(s.file); c.packages[dir] == nil {
			c.packages[dir] = map[string]*ast.File{}
			args = append(args, dir)
		}
	}
	out, err := command(t, root, "go", args...)
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	exports := map[string]string{}
	for line := range strings.Lines(out) {
		column := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(column) != 4 { // the go command tells what it downloads
			continue
		}
		exports[column[0]] = column[1]
		files := c.packages[column[2]]
		if files == nil {
			continue
		}
		for name := range strings.FieldsSeq(column[3]) {
			path := filepath.Join(column[2], name)
			if files[path], err = bare(c.fset, path); err != nil {
				t.Fatal(err)
			}
		}
	}
	c.importer = importer.ForCompiler(c.fset, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })
	return c
}

// bare parses a file without the bodies of its functions.
func bare(fset *token.FileSet, path string) (*ast.File, error) {
	file, err := parser.ParseFile(fset, path, nil, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	for _, d := range file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok {
			f.Body = nil
		}
	}
	return file, nil
}

// check returns what the compiler would say of a file in its package.
func (c *compiler) check(path string, content []byte) error {
	changed, err := parser.ParseFile(c.fset, path, content, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	files := []*ast.File{changed}
	for other, file := range c.packages[filepath.Dir(path)] {
		if other != path {
			files = append(files, file)
		}
	}
	var wrong []error
	config := types.Config{Importer: c.importer, Error: func(err error) {
		if e, ok := errors.AsType[types.Error](err); !ok || c.fset.Position(e.Pos).Filename == path { // the others lack their bodies
			wrong = append(wrong, err)
		}
	}}
	_, _ = config.Check(path, c.fset, files, nil) // it goes on behind the first error, and tells each
	return errors.Join(wrong...)
}

package cmd

import (
	"go/ast"
	"go/build"
	"go/importer"
	"go/parser"
	"go/token"
	gotypes "go/types"
	"io/fs"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

const module = "github.com/nectar-bot/nectar/"

// typedModule is the module without its tests, with what each name in it names. Of other modules nothing is known but that they are there.
type typedModule struct {
	set      *token.FileSet
	sync     gotypes.Importer
	packages map[string]*gotypes.Package // by path; those of others are empty
	info     *gotypes.Info
	bodies   map[*gotypes.Func]*ast.BlockStmt
}

// moduleTypes returns the module, which is read once for all tests.
func moduleTypes(t *testing.T) *typedModule {
	t.Helper()
	m, err := readTyped()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

var readTyped = sync.OnceValues(func() (*typedModule, error) {
	set := token.NewFileSet()
	m := &typedModule{
		set: set, sync: importer.ForCompiler(set, "source", nil), packages: map[string]*gotypes.Package{}, bodies: map[*gotypes.Func]*ast.BlockStmt{},
		info: &gotypes.Info{Types: map[ast.Expr]gotypes.TypeAndValue{}, Defs: map[*ast.Ident]gotypes.Object{}, Uses: map[*ast.Ident]gotypes.Object{}, Selections: map[*ast.SelectorExpr]*gotypes.Selection{}},
	}
	for _, tree := range []string{"bot", "platform", "plugins", "handlers", "internal", "cmd"} {
		err := filepath.WalkDir("../"+tree, func(path string, entry fs.DirEntry, err error) error {
			switch {
			case err != nil || !entry.IsDir():
				return err
			case entry.Name() == "testdata":
				return filepath.SkipDir
			}
			_, err = m.Import(module + filepath.ToSlash(strings.TrimPrefix(path, "../")))
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return m, nil
})

// Import makes typedModule a types.Importer.
func (m *typedModule) Import(path string) (*gotypes.Package, error) {
	if p := m.packages[path]; p != nil {
		return p, nil
	}
	folder, ours := strings.CutPrefix(path, module)
	switch {
	case path == "sync":
		return m.sync.Import(path)
	case !ours:
		p := gotypes.NewPackage(path, path[strings.LastIndex(path, "/")+1:])
		p.MarkComplete()
		m.packages[path] = p
		return p, nil
	}
	found, err := build.Default.ImportDir(filepath.Join("..", folder), 0)
	if _, none := err.(*build.NoGoError); err != nil && !none { //nolint:errorlint // it is not wrapped
		return nil, err
	}
	var files []*ast.File
	for _, name := range found.GoFiles {
		f, err := parser.ParseFile(m.set, filepath.Join("..", folder, name), nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	config := gotypes.Config{Importer: m, Error: func(error) {}} // whatever comes from others is unknown
	p, _ := config.Check(path, m.set, files, m.info)
	m.packages[path] = p
	for _, f := range files {
		for _, d := range f.Decls {
			if d, ok := d.(*ast.FuncDecl); ok && d.Body != nil {
				if f, ok := m.info.Defs[d.Name].(*gotypes.Func); ok {
					m.bodies[f] = d.Body
				}
			}
		}
	}
	return p, nil
}

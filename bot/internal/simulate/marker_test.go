package simulate_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
)

// site is a place in the source that a mutation changes: the node that a marker stands at, or a part of it.
type site struct {
	file    string // its absolute path
	content []byte
	syntax  *ast.File
	pos     *token.File
	node    ast.Node
}

// part is the same place, narrowed to a node inside it.
func (s site) part(n ast.Node) site {
	s.node = n
	return s
}

// text returns the source of a node.
func (s site) text(n ast.Node) string {
	return string(s.content[s.pos.Offset(n.Pos()):s.pos.Offset(n.End())])
}

// A marker names what begins on its line, or on the line below when it stands alone: //mutate:name.
var marker = regexp.MustCompile(`^//mutate:([a-z0-9-]+)$`)

// marked finds the markers of the module, each with its place. A name stands for one place.
var marked = sync.OnceValues(func() (map[string]site, error) {
	top, err := filepath.Abs(root)
	if err != nil {
		return nil, err
	}
	sites := map[string]site{}
	err = filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != top && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata"):
			return fs.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		content, err := os.ReadFile(filepath.Clean(path))
		if err != nil || !strings.Contains(string(content), "//mutate:") {
			return err
		}
		return addMarked(sites, path, content)
	})
	return sites, err
})

// addMarked adds the markers of a file.
func addMarked(sites map[string]site, path string, content []byte) error {
	fset := token.NewFileSet()
	syntax, err := parser.ParseFile(fset, path, content, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	s := site{file: path, content: content, syntax: syntax, pos: fset.File(syntax.FileStart)}
	for _, group := range syntax.Comments {
		for _, c := range group.List {
			where := fset.Position(c.Pos())
			name := marker.FindStringSubmatch(c.Text)
			switch {
			case !strings.HasPrefix(c.Text, "//mutate:"):
				continue
			case name == nil:
				return fmt.Errorf("%v: a marker is named by small letters, digits and hyphens, and stands alone: %s", where, c.Text)
			case sites[name[1]].node != nil:
				return fmt.Errorf("%v: there is another marker %s, in %s", where, name[1], sites[name[1]].file)
			}
			if s.node = s.at(c); s.node == nil {
				return fmt.Errorf("%v: nothing begins where the marker %s stands", where, name[1])
			}
			sites[name[1]] = s
		}
	}
	return nil
}

// at returns the outermost of what begins on the line of a marker, or on the line below when the marker stands
// alone there; nil when nothing does.
func (s site) at(c *ast.Comment) ast.Node {
	line := s.pos.Line(c.Pos())
	if before := s.content[s.pos.Offset(s.pos.LineStart(line)):s.pos.Offset(c.Pos())]; strings.TrimSpace(string(before)) == "" {
		line++
	}
	var first ast.Node
	ast.Inspect(s.syntax, func(n ast.Node) bool {
		switch n.(type) {
		case nil, *ast.File, *ast.Comment, *ast.CommentGroup:
		default: // whatever holds a node comes before it
			if s.pos.Line(n.Pos()) == line && (first == nil || n.Pos() < first.Pos()) {
				first = n
			}
		}
		return true
	})
	return first
}

package cmd

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode"
)

// A privateWord is one that only we would understand. The term is what it is called elsewhere, and here.
type privateWord struct {
	words string // separated by spaces, in lower case
	term  string
	in    []string // the trees in which it has that meaning; nil: everywhere
}

// These are not used in names any more, so that whoever searches for the term of the field finds it: see the glossary of
// docs/architecture.md.
var privateWords = []privateWord{
	{words: "gate gates deaf deafness", term: "breaker (closed, open, half-open), guard, or unhealthy"},
	{words: "settle settles settled settling unsettled", term: "reconcile, or conclude of a slot"},
	{words: "unsure suspected", term: "in doubt"},
	{words: "anchor anchors anchored unanchor unanchored adrift vague", term: "baseline"},
	{words: "floor floors", term: "low-water mark"},
	{words: "courier couriers", term: "dispatcher"},
	{words: "box boxes", term: "account outbox"},
	{words: "chain chains", term: "ordered queue, ordering key", in: []string{"bot", "cmd"}},
	{words: "lane lanes", term: "sequence", in: []string{"bot/internal/store", "bot/internal/sqlite", "bot/internal/postgres"}},
	{words: "pump pumps", term: "fetcher"},
	{words: "pass passes", term: "scan", in: []string{"bot/internal/outbox"}},
	{words: "desk desks", term: "inspector"},
	{words: "claim claims claimed", term: "limit use, or acquire of a lease"},
	{words: "trace traces traced", term: "decision record"},
	{words: "ear ears stillness", term: "source health: stale, failing, stuck"},
	{words: "weather strike strikes sky", term: "fault injection"},
	{words: "life lives", term: "incarnation"},
	{words: "guest guests", term: "workload", in: []string{"bot/internal/simulate"}},
	{words: "fly flies flying", term: "in flight"},
	{words: "landed", term: "committed"},
	{words: "recall recalled", term: "restore, or withdraw"},
	{words: "shelve shelved shelving", term: "persist as pending"},
	{words: "mend mended mending", term: "repair, restart, or retry"},
	{words: "stranger strangers", term: "unattributed"},
	{words: "bell", term: "request probe"},
	{words: "moot", term: "obsolete"},
	{words: "rouse roused poke poked", term: "wake"},
}

// allowedWords have a reason: a word of ours that means something else there, and is what others call that, too.
var allowedWords = map[string]string{
	"httptrace":                   "a package of the standard library",
	"ClientTrace":                 "a name of net/http/httptrace",
	"ContextClientTrace":          "a name of net/http/httptrace",
	"WithClientTrace":             "a name of net/http/httptrace",
	"trace@platform":              "holds a httptrace.ClientTrace",
	"trace@bot/internal/lease":    "holds a httptrace.ClientTrace",
	"trace@bot/internal/simulate": "the execution trace of a run: what happened, in its order",
}

// Predicates say what is so: isRefusal, reachedServer. A bare participle may be a fact, a time or a question.
var bareParticiple = regexp.MustCompile(`^(said|asked|told|heard|known)([A-Z]|$)`)

// Who is new here can search for each name: no identifier has a word that only we would understand.
func TestNamesAreStandardTerms(t *testing.T) {
	used := map[string]bool{}
	fine := map[[2]string]bool{} // names in folders
	for path, file := range sourceFiles(t) {
		dir := filepath.ToSlash(filepath.Dir(path))
		ast.Inspect(file.syntax, func(n ast.Node) bool {
			id, ok := n.(*ast.Ident)
			if !ok || fine[[2]string{id.Name, dir}] {
				return true
			}
			word := privateWordOf(id.Name, dir)
			if word == nil {
				fine[[2]string{id.Name, dir}] = true
				return true
			}
			for _, key := range []string{id.Name, id.Name + "@" + dir} {
				if allowedWords[key] != "" {
					used[key] = true
					return true
				}
			}
			t.Errorf("%s:%d: %s: say %s instead, or write a reason into allowedWords", path, file.set.Position(id.Pos()).Line, id.Name, word.term)
			return true
		})
	}
	for key := range allowedWords {
		if !used[key] && key != "httptrace" {
			t.Errorf("%s is allowed, and is not used any more", key)
		}
	}
}

func TestPredicatesSayWhatIsSo(t *testing.T) {
	for path, file := range sourceFiles(t) {
		for _, d := range file.syntax.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || !bareParticiple.MatchString(f.Name.Name) || f.Type.Results == nil || len(f.Type.Results.List) != 1 {
				continue
			}
			if result, ok := f.Type.Results.List[0].Type.(*ast.Ident); ok && result.Name == "bool" {
				t.Errorf("%s:%d: %s: a predicate says what is so, such as isRefusal", path, file.set.Position(f.Pos()).Line, f.Name.Name)
			}
		}
	}
}

// Who calls what needs a lock has it: by its own name, or since it takes one.
func TestLockedMethodsAreCalledWithALock(t *testing.T) {
	called := 0
	for path, file := range sourceFiles(t) {
		for _, d := range file.syntax.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || f.Body == nil {
				continue
			}
			needs, takes := "", strings.HasSuffix(f.Name.Name, "Locked")
			ast.Inspect(f.Body, func(n ast.Node) bool {
				call, ok := n.(*ast.CallExpr)
				if !ok {
					return true
				}
				if s, ok := call.Fun.(*ast.SelectorExpr); ok {
					switch name := s.Sel.Name; {
					case name == "Lock", name == "RLock", strings.HasPrefix(name, "TryLock"), strings.HasPrefix(name, "lock"):
						takes = true
					case strings.HasSuffix(name, "Locked"):
						needs = name
					}
				}
				return true
			})
			if needs != "" {
				called++
				if !takes {
					t.Errorf("%s:%d: %s calls %s: take the lock, or call it %sLocked", path, file.set.Position(f.Pos()).Line, f.Name.Name, needs, f.Name.Name)
				}
			}
		}
	}
	if called == 0 {
		t.Error("nobody calls a method that needs a lock: is the suffix another one now?")
	}
}

// These words are nothing else but the idea, also in comments.
var wordsOfIdeas = regexp.MustCompile(`(?i)\b(couriers?|unsure|anchor(s|ed)?|adrift|pumps?|desks?|moot|shelve[ds]?|rouse[ds]?|weather)\b`)

// allowedComments are parts of comments in which such a word is no idea of ours.
var allowedComments = []string{
	"'unsure'", `"unsure"`, `"moot"`, // as they are stored
	"anchors", // of YAML
}

func TestCommentsUseTheTermsOfTheGlossary(t *testing.T) {
	for path, file := range sourceFiles(t) {
		for _, group := range file.syntax.Comments {
			for _, c := range group.List {
				text := c.Text
				if strings.HasPrefix(text, "//mutate:") {
					continue
				}
				for _, allowed := range allowedComments {
					text = strings.ReplaceAll(text, allowed, "")
				}
				if word := wordsOfIdeas.FindString(text); word != "" {
					t.Errorf("%s:%d: the comment says %q: use the term of the glossary", path, file.set.Position(c.Pos()).Line, word)
				}
			}
		}
	}
}

func TestWordsOfAName(t *testing.T) {
	for name, want := range map[string]string{
		"x": "x", "chainKey": "chain key", "OpenDesk": "open desk", "TestHTTPGate2": "test http gate", "id_of": "id of", "URL": "url", "URLs": "ur ls", "": "",
	} {
		if got := strings.Join(wordsOf(name), " "); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
}

// privateWordOf returns the private word that a name has in a tree; nil for none.
func privateWordOf(name, dir string) *privateWord {
	words := wordsOf(name)
	for i := range privateWords {
		p := &privateWords[i]
		if p.in != nil && !slices.ContainsFunc(p.in, func(tree string) bool { return dir == tree || strings.HasPrefix(dir, tree+"/") }) {
			continue
		}
		for w := range strings.FieldsSeq(p.words) {
			if slices.Contains(words, w) {
				return p
			}
		}
	}
	return nil
}

// wordsOf splits a name into its words, in lower case.
func wordsOf(name string) (words []string) {
	var word []rune
	end := func() {
		if len(word) > 0 {
			words = append(words, strings.ToLower(string(word)))
		}
		word = nil
	}
	runes := []rune(name)
	for i, r := range runes {
		switch {
		case !unicode.IsLetter(r):
			end()
			continue
		case unicode.IsUpper(r) && i > 0 && (!unicode.IsUpper(runes[i-1]) || i+1 < len(runes) && unicode.IsLower(runes[i+1])):
			end()
		}
		word = append(word, r)
	}
	end()
	return words
}

type sourceFile struct {
	set    *token.FileSet
	syntax *ast.File
}

// sourceFiles returns all files of the module, by their paths, in order.
func sourceFiles(t *testing.T) func(yield func(string, sourceFile) bool) {
	t.Helper()
	files, err := parsedFiles()
	if err != nil {
		t.Fatal(err)
	}
	return func(yield func(string, sourceFile) bool) {
		for _, path := range slices.Sorted(maps.Keys(files)) {
			if !yield(path, files[path]) {
				return
			}
		}
	}
}

// parsedFiles reads the module once for all tests.
var parsedFiles = sync.OnceValues(func() (map[string]sourceFile, error) {
	files := map[string]sourceFile{}
	err := filepath.WalkDir("..", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && path != ".." && (strings.HasPrefix(entry.Name(), ".") || entry.Name() == "testdata"):
			return filepath.SkipDir
		case entry.IsDir() || filepath.Ext(path) != ".go":
			return nil
		}
		set := token.NewFileSet()
		syntax, err := parser.ParseFile(set, path, nil, parser.ParseComments|parser.SkipObjectResolution)
		rel, _ := filepath.Rel("..", path)
		files[filepath.ToSlash(rel)] = sourceFile{set, syntax}
		return err
	})
	return files, err
})

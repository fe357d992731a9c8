package checker

import (
	"regexp"
	"strings"

	"github.com/nectar-bot/nectar/handlers/internal/template"
	"github.com/nectar-bot/nectar/internal/textfile"
)

// inBraces is a name between single braces, which are text, or between braces of different numbers.
var inBraces = regexp.MustCompile(`(?:^|[^{$])\{ *([A-Za-z_][A-Za-z0-9_]*(?:\.said)?) *(\|[^{}]*)?\}`)

// ofOthers is a name as other programs want it, or in braces of an East Asian keyboard.
var ofOthers = regexp.MustCompile(`(?:%(\pL[\pL\d_-]*)%|\[(\pL[\pL\d_ -]*)\]|\$\{ *(\pL[\pL\d_. -]*?) *\}|｛+ *(\pL[\pL\d_. -]*?) *(\|[^｛｝]*)?｝+)`)

// synonyms are names that other programs use for the variables about a person.
var synonyms = map[string]string{
	"firstname": "first_name", "fname": "first_name", "nombre": "first_name", "nome": "first_name", "prénom": "first_name", "prenom": "first_name", "vorname": "first_name",
	"fullname": "name", "full_name": "name", "username": "user_name", "user": "user_name",
}

// findPlaceholders looks for what is meant as a variable and is none: people would read its name.
func (c *checker) findPlaceholders(s *scene, at textfile.At, t *template.Template) {
	said := t.String()
	for _, found := range inBraces.FindAllStringSubmatch(said, -1) {
		if name, fallback, ok := c.meantAs(s, found[1], found[2]); ok {
			c.add(at, "%speople would read {%s} as it stands here: write two braces on each side: {{%s%s}}", s.where, found[1], name, fallback)
		}
	}
	for _, found := range ofOthers.FindAllStringSubmatch(said, -1) {
		if name, fallback, ok := c.meantAs(s, strings.Join(found[1:5], ""), found[5]); ok {
			c.add(at, "%speople would read %s as it stands here: write {{%s%s}}", s.where, found[0], name, fallback)
		}
	}
}

// meantAs returns the variable that is meant, with its fallback or one that could stand there; false when it is none: then these are their own words.
func (c *checker) meantAs(s *scene, written, fallback string) (name, with string, ok bool) {
	name = strings.NewReplacer(" ", "_", "-", "_").Replace(strings.ToLower(written))
	if other := synonyms[name]; other != "" {
		name = other
	}
	needs, _ := c.checkVariable(s, template.Variable{Name: name, HasFallback: true})
	if needs == emptyVariable && fallback == "" {
		fallback = "|" + exampleFallback(name)
	}
	return name, fallback, needs != unknownVariable
}

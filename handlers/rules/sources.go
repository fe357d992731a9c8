package rules

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/nectar-bot/nectar/handlers/rules/internal/grammar"
)

// Sources are rule files as they are written, by their name within the folder: "10-faq.yaml".
type Sources map[string][]byte

// The files that a folder's other files share.
const (
	SettingsFile = grammar.SettingsFile
	RepliesFile  = grammar.RepliesFile
)

// Names returns the names in the order in which the files are read.
func (s Sources) Names() []string { return slices.Sorted(maps.Keys(s)) }

// Hash names the sources by their content: the same files have the same hash.
func (s Sources) Hash() string {
	h := sha256.New()
	for _, name := range s.Names() {
		_, _ = fmt.Fprintf(h, "%d %s %d ", len(name), name, len(s[name])) // a hash takes everything
		h.Write(s[name])
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// Encode writes the sources as one text, to be stored by their hash.
func (s Sources) Encode() (string, error) {
	texts := make(map[string]string, len(s))
	for name, content := range s {
		texts[name] = string(content)
	}
	encoded, err := json.Marshal(texts)
	if err != nil {
		return "", fmt.Errorf("encode the rule files: %w", err)
	}
	return string(encoded), nil
}

// DecodeSources reads what Encode wrote.
func DecodeSources(encoded string) (Sources, error) {
	var texts map[string]string
	if err := json.Unmarshal([]byte(encoded), &texts); err != nil {
		return nil, fmt.Errorf("decode the rule files: %w", err)
	}
	s := make(Sources, len(texts))
	for name, content := range texts {
		s[name] = []byte(content)
	}
	return s, nil
}

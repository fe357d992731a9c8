package textfile

import (
	"slices"
	"strings"
)

// OneOf reads one of some words.
func OneOf[S ~string](n Node, into *S, words ...S) Problems {
	if n.Kind() == Scalar && slices.Contains(words, S(n.String())) {
		*into = S(n.String())
		return nil
	}
	known := make([]string, len(words))
	for i, w := range words {
		known[i] = string(w)
	}
	if n.Kind() != Scalar {
		return Problems{n.Problem("write one of %s here", strings.Join(known, ", "))}
	}
	if near := NearestWord(n.String(), known); near != "" {
		return Problems{n.Problem("there is no %q here. Did you mean %q?", n.String(), near)}
	}
	return Problems{n.Problem("there is no %q here. Write one of %s", n.String(), strings.Join(known, ", "))}
}

// ReadValue reads a scalar with parse, whose error says how to write it. what is what it must be.
func ReadValue[T any](n Node, dst *T, what string, parse func(string) (T, error)) Problems {
	if n.Kind() != Scalar {
		return Problems{n.mustBe(what)}
	}
	v, err := parse(n.String())
	if err != nil {
		return Problems{n.Problem("%s cannot be %s: %s", n.calledText(), quote(n.String()), err)}
	}
	*dst = v
	return nil
}

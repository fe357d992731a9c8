package store

import (
	"database/sql"
	"fmt"
	"strings"
)

// Of a request for which nothing was left to be done the outcome is obsolete. It is stored as earlier versions stored it.
const (
	obsolete       = "obsolete"
	storedObsolete = "moot"
)

// storedOutcome returns an outcome as it is stored. In a query it may be written either way, in upper or lower case.
func storedOutcome(outcome string) string {
	if strings.EqualFold(outcome, obsolete) {
		return storedObsolete
	}
	return outcome
}

// outcomeIn reads a stored outcome into a string.
func outcomeIn(to *string) sql.Scanner { return outcomeColumn{to} }

type outcomeColumn struct{ to *string }

func (c outcomeColumn) Scan(stored any) error {
	switch v := stored.(type) {
	case nil:
		*c.to = ""
	case string:
		*c.to = v
	case []byte:
		*c.to = string(v)
	default:
		return fmt.Errorf("read an outcome: a %T is none", stored)
	}
	if *c.to == storedObsolete {
		*c.to = obsolete
	}
	return nil
}

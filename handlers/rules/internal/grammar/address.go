package grammar

import (
	"github.com/nectar-bot/nectar/handlers/notify"
	"github.com/nectar-bot/nectar/internal/textfile"
)

// Address is where somebody is called.
type Address struct {
	textfile.At
	notify.Address
}

// FromText reads an address.
func (a *Address) FromText(n textfile.Node) textfile.Problems {
	return readAddress(n, &a.At, &a.Address, notify.Parse)
}

// Server is a mail server.
type Server struct {
	textfile.At
	notify.Address
}

// FromText reads the address of a mail server.
func (s *Server) FromText(n textfile.Node) textfile.Problems {
	return readAddress(n, &s.At, &s.Address, notify.ParseServer)
}

func readAddress(n textfile.Node, at *textfile.At, into *notify.Address, parse func(string) (notify.Address, error)) textfile.Problems {
	if n.Kind() != textfile.Scalar {
		return textfile.Problems{n.Problem("write one address here, for example ntfy://ntfy.sh/TOPIC")}
	}
	if wrong := UnseenIn(n.String()); wrong != "" {
		return textfile.Problems{n.At().Problem("%s", wrong)}
	}
	a, err := parse(n.String())
	if err != nil {
		return textfile.Problems{n.At().Problem("%v", err)}
	}
	*at, *into = n.At(), a
	return nil
}

// FromText reads addresses, or a mapping.
func (t *Team) FromText(n textfile.Node) textfile.Problems {
	if n.Kind() != textfile.Mapping {
		return n.Decode(&t.Addresses)
	}
	type plain Team
	return n.Decode((*plain)(t))
}

package grammar

import (
	"github.com/nectar-bot/nectar/handlers/notify"
	"github.com/nectar-bot/nectar/handlers/text"
)

// Address is where somebody is called.
type Address struct {
	text.At
	notify.Address
}

// FromText reads an address.
func (a *Address) FromText(n text.Node) text.Problems {
	return readAddress(n, &a.At, &a.Address, notify.Parse)
}

// Server is a mail server.
type Server struct {
	text.At
	notify.Address
}

// FromText reads the address of a mail server.
func (s *Server) FromText(n text.Node) text.Problems {
	return readAddress(n, &s.At, &s.Address, notify.ParseServer)
}

func readAddress(n text.Node, at *text.At, into *notify.Address, parse func(string) (notify.Address, error)) text.Problems {
	if n.Kind() != text.Scalar {
		return text.Problems{n.Problem("write one address here, for example ntfy://ntfy.sh/TOPIC")}
	}
	if wrong := UnseenIn(n.String()); wrong != "" {
		return text.Problems{n.At().Problem("%s", wrong)}
	}
	a, err := parse(n.String())
	if err != nil {
		return text.Problems{n.At().Problem("%v", err)}
	}
	*at, *into = n.At(), a
	return nil
}

// FromText reads addresses, or a mapping.
func (t *Team) FromText(n text.Node) text.Problems {
	if n.Kind() != text.Mapping {
		return n.Decode(&t.Addresses)
	}
	type plain Team
	return n.Decode((*plain)(t))
}

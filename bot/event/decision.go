package event

// DecisionRecord says what a turn decided, and why.
type DecisionRecord struct {
	Route   string // the route that handled the trigger; "" for none
	Outcome string // handled, unmatched, late, quarantined …
	Note    string // what a person should know about it, one line

	Rule    string // the rule that decided; "" for none
	Version string // hash of the rules that decided; "" for none
	Before  []byte // the conversation before the turn, JSON; nil when nobody kept it

	Why Reason // why it has that Outcome, for programs; "" where only Note says it

	By string // the person of ours who asked for it; "" for turns of other kinds, and when nobody said so
}

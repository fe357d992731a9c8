package event

import (
	"fmt"
	"hash/fnv"
	"strconv"
)

// numbers is how many different numbers there are for what is held.
const numbers = 900_000

// Number is what people may write instead of the action's key while it is held: six digits. It comes from the account
// and the key alone, so it never changes; two actions may have the same one.
func (a *Action) Number() string {
	h := fnv.New64a()
	_, _ = fmt.Fprintf(h, "%s %s", a.Account, a.Key) // a hash takes everything
	return strconv.FormatUint(h.Sum64()%numbers+numbers/9, 10)
}

package rival

import "time"

const (
	pollsKept  = 128
	restsKept  = 8                      // of an account that has sent nothing for long
	pollsApart = 250 * time.Millisecond // of those kept
)

// cycle is a poll that succeeded: from when to when, in Unix microseconds.
type cycle struct{ began, ended int64 }

// polls are the last ones of an account.
type polls []cycle

// notePoll takes in a poll. Of an account that rests, few are kept: what leaves later only needs the last one.
func (p *polls) notePoll(c cycle, rests bool) {
	n, most := len(*p), pollsKept
	if n > 0 && time.Duration(c.ended-(*p)[n-1].ended)*time.Microsecond < pollsApart {
		return
	}
	if rests {
		most = restsKept
	}
	if n < most {
		*p = append(*p, c)
		return
	}
	rest, kept := (*p)[n-most+1:], (*p)[:0]
	if cap(*p) > 2*most {
		kept = make(polls, 0, most)
	}
	*p = append(append(kept, rest...), c)
}

// lastBegan returns when the last poll began that had ended by then: what it did not show was not there. Zero when
// there is none.
func (p polls) lastBegan(by time.Time) (began time.Time) {
	last := int64(0)
	for _, c := range p {
		if c.ended <= by.UnixMicro() && c.began > last {
			last, began = c.began, time.UnixMicro(c.began)
		}
	}
	return began
}

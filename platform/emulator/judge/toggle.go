package judge

// toggle is a like, a repost or a follow of the account.
type toggle struct {
	id       int64 // of the post or the person
	on       bool
	before   bool // as it was at the end of the backlog
	wanted   bool
	excused  bool // may be on or off
	switched int  // how often the account switched it after the backlog
}

func (t *toggle) wrong() bool { return !t.excused && t.on != (t.wanted || t.before) }

// toggles is all toggles of one kind.
type toggles struct {
	byID    map[int64]*toggle
	inOrder *[]*toggle
}

func newToggles() toggles { return toggles{map[int64]*toggle{}, new([]*toggle)} }

// toggleOf returns the toggle of a post or a person, off when it is new.
func (ts toggles) toggleOf(id int64) *toggle {
	t := ts.byID[id]
	if t == nil {
		t = &toggle{id: id}
		ts.byID[id] = t
		*ts.inOrder = append(*ts.inOrder, t)
	}
	return t
}

// change changes a toggle and keeps the count of what is owed.
func (j *judge) change(t *toggle, change func()) {
	if t.wrong() {
		j.owed--
	}
	change()
	if t.wrong() {
		j.owed++
	}
}

// noteSwitched enters the state of a toggle after the account changed it.
func (j *judge) noteSwitched(t *toggle, on, byAPI, counts bool) {
	j.change(t, func() {
		t.on = on
		if !counts {
			t.before = on
		}
		if byAPI {
			t.switched++
		}
	})
}

// noteWish enters that a toggle should be on because of what the person of c did.
func (j *judge) noteWish(c *conversation, t *toggle) {
	j.change(t, func() { t.wanted, t.excused = true, c.blocked })
	c.wishes = append(c.wishes, t)
}

// excuseToggle enters that a toggle may be on or off.
func (j *judge) excuseToggle(t *toggle) {
	j.change(t, func() { t.excused = true })
}

// judgeFlickers counts flickers into v and returns the number of toggles in the wrong state.
func (ts toggles) judgeFlickers(v *Verdict, d *details, verb string, name func(int64) string) int {
	wrong := 0
	for _, t := range *ts.inOrder {
		if t.wrong() {
			wrong++
			if t.on {
				d.add("%s: %s has one and should have none", verb, name(t.id))
			} else {
				d.add("%s: %s has none and should have one", verb, name(t.id))
			}
		}
		if t.switched > 1 {
			v.Flickers++
			d.add("flicker: the %s of %s was switched %d times", verb, name(t.id), t.switched)
		}
	}
	return wrong
}

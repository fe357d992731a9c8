package platform

// The answers of deployments differ in ways that no decoder of whole structs accepts: numbers as
// strings and back, "[]" for an object that is absent, lists that arrive as objects. So answers are
// read member by member, from the raw bytes: skip finds where values end and that they are whole
// (skip.go), object and list walk through them, and the methods of value tell what a member means
// (value.go).

// value is one JSON value, whole, without white space around it. nil is an absent member.
type value []byte

// walk is a way through an object or a list in b.
type walk struct {
	b       []byte
	at      int // behind the last thing that was read
	begun   bool
	closing byte // the brace or bracket that ends the walk
}

// step returns the index of what comes next, or -1 at the end.
func (w *walk) step() int {
	i := spaces(w.b, w.at)
	if w.begun && i < len(w.b) && w.b[i] == ',' {
		i = spaces(w.b, i+1)
	} else if w.begun || i < len(w.b) && w.b[i] == w.closing {
		w.at = i
		return -1
	}
	if i >= len(w.b) {
		return w.fail()
	}
	w.begun = true
	return i
}

// fail ends a walk through what is not well formed.
func (w *walk) fail() int {
	w.at = len(w.b)
	return -1
}

// end returns the index behind what was walked through, or -1 if it was not whole.
func (w *walk) end() int {
	if w.at < len(w.b) && w.b[w.at] == w.closing {
		return w.at + 1
	}
	return -1
}

// object walks through the members of a JSON object.
type object struct {
	walk
	key []byte
	val value
}

// members begins a walk through v. Through anything but an object there is nothing to walk.
func (v value) members() object {
	if len(v) == 0 || v[0] != '{' {
		return object{}
	}
	return objectAt(v, 0)
}

// objectAt begins a walk through the object that begins at b[i].
func objectAt(b []byte, i int) object { return object{walk: walk{b: b, at: i + 1, closing: '}'}} }

// next moves to the next member and reports whether there is one.
func (o *object) next() bool {
	start := o.seek()
	return start >= 0 && o.take(start, skip(o.b, start, 1))
}

// seek moves to the next key and returns the index of the value behind it, or -1.
func (o *object) seek() (start int) {
	i := o.step()
	if i < 0 {
		return -1
	}
	if o.key, start = readKey(o.b, i); start < 0 {
		return o.fail()
	}
	return start
}

// take moves behind the value between the two indices. An end of -1 fails.
func (o *object) take(start, end int) bool {
	if end < 0 {
		o.fail()
		return false
	}
	o.val, o.at = o.b[start:end], end
	return true
}

// member returns the last member of v with the given key, or nil.
func (v value) member(key string) (found value) {
	for o := v.members(); o.next(); {
		if string(o.key) == key {
			found = o.val
		}
	}
	return found
}

// list walks through the values of a JSON array, or of an object that stands for one.
type list struct {
	walk
	val value
}

// items begins a walk through v. A PHP list whose numbering has gaps arrives as an object with
// numbers for keys; it is a list too. What stands for nothing is an empty list. The result is false
// for everything else.
func (v value) items() (list, bool) {
	if len(v) == 0 || v[0] != '[' && v[0] != '{' {
		return list{}, v.nothing()
	}
	for o := v.members(); o.next(); {
		if !isDigits(o.key) {
			return list{}, false
		}
	}
	return listAt(v, 0), true
}

// listAt begins a walk through the array or object that begins at b[i].
func listAt(b []byte, i int) list {
	return list{walk: walk{b: b, at: i + 1, closing: closingOf(b[i])}}
}

// next moves to the next value and reports whether there is one.
func (l *list) next() bool {
	start := l.seek()
	return start >= 0 && l.take(start, skip(l.b, start, 1))
}

// seek moves to the next value and returns its index, or -1.
func (l *list) seek() int {
	start := l.step()
	if start < 0 || l.closing == ']' {
		return start
	}
	key, start := readKey(l.b, start)
	if start < 0 || !isDigits(key) {
		return l.fail()
	}
	return start
}

// take moves behind the value between the two indices. An end of -1 fails.
func (l *list) take(start, end int) bool {
	if end < 0 {
		l.fail()
		return false
	}
	l.val, l.at = l.b[start:end], end
	return true
}

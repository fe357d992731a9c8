package wire

// Value is one JSON value, whole, without white space around it. nil is an absent member.
type Value []byte

// walk is a way through an object or a list in b.
type walk struct {
	b       []byte
	At      int // behind the last thing that was read
	begun   bool
	closing byte // the brace or bracket that ends the walk
}

// step returns the index of what comes next, or -1 at the end.
func (w *walk) step() int {
	i := SkipSpaces(w.b, w.At)
	if w.begun && i < len(w.b) && w.b[i] == ',' {
		i = SkipSpaces(w.b, i+1)
	} else if w.begun || i < len(w.b) && w.b[i] == w.closing {
		w.At = i
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
	w.At = len(w.b)
	return -1
}

// End returns the index behind what was walked through, or -1 if it was not whole.
func (w *walk) End() int {
	if w.At < len(w.b) && w.b[w.At] == w.closing {
		return w.At + 1
	}
	return -1
}

// Object walks through the members of a JSON object.
type Object struct {
	walk
	Key []byte
	Val Value
}

// Members begins a walk through v. Through anything but an object there is nothing to walk.
func (v Value) Members() Object {
	if len(v) == 0 || v[0] != '{' {
		return Object{}
	}
	return ObjectAt(v, 0)
}

// ObjectAt begins a walk through the object that begins at b[i].
func ObjectAt(b []byte, i int) Object { return Object{walk: walk{b: b, At: i + 1, closing: '}'}} }

// ObjectFrom goes on with a walk through an object in b, from the index at.
func ObjectFrom(b []byte, at int, begun bool) Object {
	return Object{walk: walk{b: b, At: at, begun: begun, closing: '}'}}
}

// Next moves to the next member and reports whether there is one.
func (o *Object) Next() bool {
	start := o.Seek()
	return start >= 0 && o.TakeValue(start, Skip(o.b, start, 1))
}

// Seek moves to the next key and returns the index of the value behind it, or -1.
func (o *Object) Seek() (start int) {
	i := o.step()
	if i < 0 {
		return -1
	}
	if o.Key, start = readKey(o.b, i); start < 0 {
		return o.fail()
	}
	return start
}

// TakeValue moves behind the value between the two indices. An end of -1 fails.
func (o *Object) TakeValue(start, end int) bool {
	if end < 0 {
		o.fail()
		return false
	}
	o.Val, o.At = o.b[start:end], end
	return true
}

// Member returns the last member of v with the given key, or nil.
func (v Value) Member(key string) (found Value) {
	for o := v.Members(); o.Next(); {
		if string(o.Key) == key {
			found = o.Val
		}
	}
	return found
}

// List walks through the values of a JSON array, or of an object that stands for one.
type List struct {
	walk
	Val Value
}

// Items begins a walk through v. A PHP list with gaps in its numbering arrives as an object with
// numbers for keys; it is a list too. What stands for nothing is an empty list. The result is false
// for everything else.
func (v Value) Items() (List, bool) {
	if len(v) == 0 || v[0] != '[' && v[0] != '{' {
		return List{}, v.IsNothing()
	}
	for o := v.Members(); o.Next(); {
		if !IsDigits(o.Key) {
			return List{}, false
		}
	}
	return listAt(v, 0), true
}

// listAt begins a walk through the array or object that begins at b[i].
func listAt(b []byte, i int) List {
	return List{walk: walk{b: b, At: i + 1, closing: ClosingOf(b[i])}}
}

// ListFrom goes on with a walk in b that ends with closing, from the index at.
func ListFrom(b []byte, at int, begun bool, closing byte) List {
	return List{walk: walk{b: b, At: at, begun: begun, closing: closing}}
}

// Next moves to the next value and reports whether there is one.
func (l *List) Next() bool {
	start := l.Seek()
	return start >= 0 && l.TakeValue(start, Skip(l.b, start, 1))
}

// Seek moves to the next value and returns its index, or -1.
func (l *List) Seek() int {
	start := l.step()
	if start < 0 || l.closing == ']' {
		return start
	}
	key, start := readKey(l.b, start)
	if start < 0 || !IsDigits(key) {
		return l.fail()
	}
	return start
}

// TakeValue moves behind the value between the two indices. An end of -1 fails.
func (l *List) TakeValue(start, end int) bool {
	if end < 0 {
		l.fail()
		return false
	}
	l.Val, l.At = l.b[start:end], end
	return true
}

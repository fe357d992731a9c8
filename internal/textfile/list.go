package textfile

import "reflect"

// List is a list for which one value may stand: "a" is read as [a].
type List[T any] []T

// FromText reads a list, or one value.
func (l *List[T]) FromText(n Node) Problems {
	d := decoding{}
	elem := n.planOf(reflect.TypeFor[T]())
	if n.Kind() == Sequence {
		d.readItems(n, reflect.ValueOf(l).Elem(), elem)
		return d.problems
	}
	*l = make(List[T], 1)
	d.value(n, reflect.ValueOf(l).Elem().Index(0), elem)
	return d.problems
}

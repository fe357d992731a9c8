package campaigns

import (
	"reflect"

	"github.com/nectar-bot/nectar/handlers/campaigns"
)

// What handlers/campaigns returns is never changed afterwards, so that what has the same parts is the same. What is told to differ
// may still read the same.

// isSame tells that a memory is surely the one that it was.
func isSame(a, b *campaigns.Memory) bool {
	return sameParts(reflect.ValueOf(a).Elem(), reflect.ValueOf(b).Elem())
}

// sameUses tells that uses are surely those that they were.
func sameUses(a, b *campaigns.Uses) bool {
	return sameParts(reflect.ValueOf(a).Elem(), reflect.ValueOf(b).Elem())
}

// sameForce tells that what is in force is surely what it was.
func sameForce(a, b *campaigns.Force) bool {
	return sameParts(reflect.ValueOf(a).Elem(), reflect.ValueOf(b).Elem())
}

// sameParts compares values by what they point to.
func sameParts(a, b reflect.Value) bool {
	switch a.Kind() {
	case reflect.Struct:
		for i := range a.NumField() {
			if !sameParts(a.Field(i), b.Field(i)) {
				return false
			}
		}
		return true
	case reflect.Map, reflect.Pointer:
		return a.UnsafePointer() == b.UnsafePointer()
	case reflect.Slice:
		return a.Len() == b.Len() && a.UnsafePointer() == b.UnsafePointer()
	default:
		return a.Equal(b)
	}
}

package campaigns

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/nectar-bot/nectar/handlers/campaigns"
)

// A memory has the slots of the last days, which a busy campaign has many of. Those that are over change no more: they stand on
// sheets of their own, so that a turn writes what it has changed, and not all of them.

// mostOnSheet is how many slots stand on a sheet.
const mostOnSheet = 16

// remembered is what is kept of a campaign from slot to slot. In the store, its Book has the slots that are open, and its Force
// stands by itself.
type remembered struct {
	campaigns.Memory
	Stage  stage `json:"life,omitzero"`
	Sheets []int `json:"sheets,omitempty"` // the numbers of those that are kept, in their order
}

// sheet is some of the slots of a campaign that are over.
type sheet struct {
	number int
	slots  []campaigns.SlotID
}

func nameOfSheet(id string, number int) string { return fmt.Sprintf("%s%s/%d", sheetName, id, number) }

// readMemory reads what is remembered of a campaign, and on which sheets its slots stand that are over: none as an older version wrote
// it, which had all in one place.
func readMemory(id string, of func(name string, to any) (bool, error)) (remembered, []sheet, error) {
	var m remembered
	if _, err := of(memoryName+id, &m); err != nil {
		return m, nil, err
	}
	// An earlier version kept it in the memory itself: there it is read already, and stays.
	if _, err := of(forceName+id, &m.Force); err != nil {
		return m, nil, err
	}
	var sheets []sheet
	for _, n := range m.Sheets { //mutate:sheets-read
		var book campaigns.Book
		if _, err := of(nameOfSheet(id, n), &book); err != nil {
			return m, nil, err
		}
		on := sheet{number: n}
		for slot, e := range book {
			on.slots = append(on.slots, slot)
			if m.Book == nil {
				m.Book = campaigns.Book{}
			}
			m.Book[slot] = e
		}
		sheets = append(sheets, on)
	}
	return m, sheets, nil
}

// keepSheets keeps the slots that are over, and returns on which sheets: each stays on its own, and those that are new come onto the
// last one that has room.
func keepSheets(c *changes, id string, sheets []sheet, was, is campaigns.Book) []sheet {
	next, kept := make([]sheet, 0, len(sheets)+1), 0
	for _, on := range sheets {
		if on.stays(was, is) {
			next, kept = append(next, on), kept+len(on.slots)
			continue
		}
		left := sheet{number: on.number, slots: slices.DeleteFunc(slices.Clone(on.slots), func(slot campaigns.SlotID) bool {
			e, there := is[slot]
			return !there || e.State.Open()
		})}
		if len(left.slots) == 0 {
			c.dropValue(nameOfSheet(id, on.number)) //mutate:sheets-drop
			continue
		}
		left.keepSheet(c, id, is)
		next, kept = append(next, left), kept+len(left.slots)
	}
	return addSheets(c, id, next, kept, is)
}

// stays reports whether all slots of a sheet are as they were.
func (s *sheet) stays(was, is campaigns.Book) bool {
	return !slices.ContainsFunc(s.slots, func(slot campaigns.SlotID) bool {
		e, there := is[slot]
		return !there || e.State.Open() || e != was[slot]
	})
}

// addSheets puts the slots that are over and stand on no sheet onto one. kept is how many do stand on one.
func addSheets(c *changes, id string, sheets []sheet, kept int, is campaigns.Book) []sheet {
	ended := 0
	for _, e := range is {
		if !e.State.Open() {
			ended++
		}
	}
	// Nearly always nothing has ended, and it is not looked up which slot stands on which sheet.
	if ended == kept {
		return sheets
	}
	on := make(map[campaigns.SlotID]bool, kept)
	for i := range sheets {
		for _, slot := range sheets[i].slots {
			on[slot] = true
		}
	}
	fresh := make([]campaigns.SlotID, 0, ended-kept)
	for slot, e := range is {
		if !e.State.Open() && !on[slot] {
			fresh = append(fresh, slot)
		}
	}
	// In one order, as the mark is a hash of what is written. A map has another one each time.
	slices.SortFunc(fresh, func(a, b campaigns.SlotID) int {
		return cmp.Or(is[a].Minute.Compare(is[b].Minute), strings.Compare(a.String(), b.String()))
	})
	for len(fresh) > 0 {
		last := sheet{}
		if n := len(sheets); n > 0 && len(sheets[n-1].slots) < mostOnSheet {
			last, sheets = sheets[n-1], sheets[:n-1]
		} else if n > 0 {
			last.number = sheets[n-1].number + 1
		}
		n := min(mostOnSheet-len(last.slots), len(fresh))
		last.slots, fresh = append(slices.Clip(last.slots), fresh[:n]...), fresh[n:]
		last.keepSheet(c, id, is)
		sheets = append(sheets, last)
	}
	return sheets
}

// keepSheet keeps a sheet.
func (s *sheet) keepSheet(c *changes, id string, is campaigns.Book) {
	book := make(campaigns.Book, len(s.slots))
	for _, slot := range s.slots {
		book[slot] = is[slot]
	}
	c.set(nameOfSheet(id, s.number), book)
}

// sheetNumbers are those of sheets.
func sheetNumbers(sheets []sheet) (all []int) {
	for i := range sheets {
		all = append(all, sheets[i].number)
	}
	return all
}

// openOf returns the slots of which something may still become.
func openOf(all campaigns.Book) campaigns.Book {
	left := campaigns.Book{}
	for slot, e := range all {
		if e.State.Open() {
			left[slot] = e
		}
	}
	return left
}

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

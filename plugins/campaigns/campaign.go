package campaigns

import (
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/nectar-bot/nectar/handlers/campaigns"
)

// campaign is one as the plugin knows it: what is remembered of it from slot to slot, and how it is in force. It is never changed: a turn
// makes another one. All that is stored of it is read by read, and written by keep.
type campaign struct {
	campaigns.Memory         // in the store, its Book has the slots that are open, and its Force stands by itself
	Stage            stage   `json:"life,omitzero"`
	Sheets           []sheet `json:"sheets,omitempty"` // where the slots stand that are over, in their order

	force   *campaigns.Campaign // as it is in force; nil: it is not any more
	encoded string              // force as campaigns.Encode has it
}

// readCampaign reads what is kept of a campaign: also as an older version wrote it, which had all in one place.
func (v *values) readCampaign(from source, id string) (c campaign, err error) {
	if _, err := v.read(from, memoryName+id, &c); err != nil {
		return c, err
	}
	// An earlier version kept it in the memory itself: there it is read already, and stays.
	if _, err := v.read(from, forceName+id, &c.Force); err != nil {
		return c, err
	}
	if _, err := v.read(from, movedName+id, &c.Rescheduled); err != nil {
		return c, err
	}
	for i := range c.Sheets { //mutate:sheets-read
		var book campaigns.Book
		if _, err := v.read(from, c.Sheets[i].name(id), &book); err != nil {
			return c, err
		}
		for slot, e := range book {
			c.Sheets[i].slots = append(c.Sheets[i].slots, slot)
			if c.Book == nil {
				c.Book = campaigns.Book{}
			}
			c.Book[slot] = e
		}
	}
	var encoded json.RawMessage
	if there, err := v.read(from, appliedName+id, &encoded); err != nil || !there {
		return c, err
	}
	c.encoded = string(encoded)
	c.force, err = campaigns.Decode(encoded)
	return c, err
}

// keepCampaign keeps a campaign as it is now, and returns it so. What has not changed is not encoded.
func (v *values) keepCampaign(id string, was, c campaign) campaign {
	if isSame(&was, &c) {
		return was
	}
	c.Sheets = v.keepSheets(id, c.Sheets, was.Book, c.Book)
	switch moved := movedName + id; {
	case isSame(&c.Rescheduled, &was.Rescheduled):
	case len(c.Rescheduled) > 0:
		v.set(moved, c.Rescheduled)
	default:
		v.dropValue(moved)
	}
	if force := forceName + id; v.raw[force] == "" || !isSame(&c.Force, &was.Force) {
		v.set(force, c.Force)
	}
	stored := c
	// Only what is stored is without them, so that a decision does not write the whole book anew.
	stored.Force, stored.Book, stored.Rescheduled = campaigns.Force{}, openOf(c.Book), nil
	v.set(memoryName+id, stored)
	v.setEncoded(appliedName+id, c.encoded)
	return c
}

// dropCampaign leaves nothing of a campaign.
func (v *values) dropCampaign(id string, sheets []sheet) {
	for _, name := range []string{memoryName, forceName, movedName, appliedName} {
		v.dropValue(name + id)
	}
	for i := range sheets {
		v.dropValue(sheets[i].name(id))
	}
}

// A campaign has the slots of the last days, which a busy one has many of. Those that are over change no more: they stand on sheets of
// their own, so that a turn writes what it has changed, and not all of them.

// mostOnSheet is how many slots stand on a sheet.
const mostOnSheet = 16

// sheet is some of the slots of a campaign that are over. The campaign has its number alone.
type sheet struct {
	number int
	slots  []campaigns.SlotID
}

// MarshalJSON writes the number.
func (s *sheet) MarshalJSON() ([]byte, error) {
	return strconv.AppendInt(nil, int64(s.number), 10), nil
}

// UnmarshalJSON reads the number.
func (s *sheet) UnmarshalJSON(raw []byte) error { return json.Unmarshal(raw, &s.number) }

// name is under what it is kept.
func (s *sheet) name(id string) string { return fmt.Sprintf("%s%s/%d", sheetName, id, s.number) }

// keepSheets keeps the slots that are over, and returns on which sheets: each stays on its own, and those that are new come onto the
// last one that has room.
func (v *values) keepSheets(id string, sheets []sheet, was, is campaigns.Book) []sheet {
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
			v.dropValue(on.name(id)) //mutate:sheets-drop
			continue
		}
		v.keepSheet(id, &left, is)
		next, kept = append(next, left), kept+len(left.slots)
	}
	return v.addSheets(id, next, kept, is)
}

// stays reports whether all slots of a sheet are as they were.
func (s *sheet) stays(was, is campaigns.Book) bool {
	return !slices.ContainsFunc(s.slots, func(slot campaigns.SlotID) bool {
		e, there := is[slot]
		return !there || e.State.Open() || e != was[slot]
	})
}

// addSheets puts the slots that are over and stand on no sheet onto one. kept is how many do stand on one.
func (v *values) addSheets(id string, sheets []sheet, kept int, is campaigns.Book) []sheet {
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
		v.keepSheet(id, &last, is)
		sheets = append(sheets, last)
	}
	return sheets
}

// keepSheet keeps a sheet.
func (v *values) keepSheet(id string, s *sheet, is campaigns.Book) {
	book := make(campaigns.Book, len(s.slots))
	for _, slot := range s.slots {
		book[slot] = is[slot]
	}
	v.set(s.name(id), book)
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

// isSame tells that something is surely what it was.
func isSame[T any](a, b *T) bool {
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

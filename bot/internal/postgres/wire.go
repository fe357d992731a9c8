package postgres

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"

	"github.com/nectar-bot/nectar/bot/internal/bind"
	"github.com/nectar-bot/nectar/bot/internal/seal"
)

// What goes to PostgreSQL and comes from it is written as its types have it, in binary.

// The types of parameters and columns, by their numbers in PostgreSQL.
const (
	TypeBool  = 16
	TypeBytes = 17
	TypeInt8  = 20
	TypeInt2  = 21
	TypeInt4  = 23
	TypeText  = 25
	typeInt4s = 1007
	typeTexts = 1009
	typeInt8s = 1016
)

var binaryFormat = []int16{1}

// AppendInt writes a number as a type has it.
func AppendInt(b []byte, oid uint32, v int64) []byte {
	switch oid {
	case TypeBool:
		return append(b, byte(min(v, 1)))
	case TypeInt2:
		return binary.BigEndian.AppendUint16(b, uint16(v))
	case TypeInt4:
		return binary.BigEndian.AppendUint32(b, uint32(v))
	case TypeInt8:
		return binary.BigEndian.AppendUint64(b, uint64(v))
	}
	return strconv.AppendInt(b, v, 10)
}

// FitsType reports whether a type has room for a number.
func FitsType(oid uint32, v int64) bool {
	switch oid {
	case TypeInt2:
		return v == int64(int16(v))
	case TypeInt4:
		return v == int64(int32(v))
	}
	return true
}

// AppendText writes a text as a type has it. An empty one is never sealed.
func AppendText(b []byte, oid uint32, v string) []byte {
	if oid != TypeBytes {
		return append(b, intoText(v)...)
	}
	if v == "" {
		return b
	}
	return append(append(b, seal.ClearValue), v...)
}

// appendList writes a list of numbers or texts.
func appendList(b []byte, oid uint32, length int, value func(b []byte, i int) []byte) []byte {
	element := map[uint32]uint32{typeInt4s: TypeInt4, typeInt8s: TypeInt8, typeTexts: TypeText}[oid]
	dimensions := uint32(min(length, 1))
	b = binary.BigEndian.AppendUint32(b, dimensions)
	b = binary.BigEndian.AppendUint32(b, 0) // no value is missing
	b = binary.BigEndian.AppendUint32(b, element)
	if dimensions == 0 {
		return b
	}
	b = binary.BigEndian.AppendUint32(b, uint32(length))
	b = binary.BigEndian.AppendUint32(b, 1) // the first index
	for i := range length {
		at := len(b)
		b = value(append(b, 0, 0, 0, 0), i)
		binary.BigEndian.PutUint32(b[at:], uint32(len(b)-at-4))
	}
	return b
}

func appendNumbers(b []byte, oid uint32, v bind.Numbers) []byte {
	element := uint32(TypeInt8)
	if oid == typeInt4s {
		element = TypeInt4
	}
	return appendList(b, oid, len(v), func(b []byte, i int) []byte { return AppendInt(b, element, v[i]) })
}

func appendWords(b []byte, oid uint32, v bind.Words) []byte {
	return appendList(b, oid, len(v), func(b []byte, i int) []byte { return append(b, intoText(v[i])...) })
}

// ReadInt reads a number of any size.
func ReadInt(b []byte) int64 {
	switch len(b) {
	case 1:
		return int64(b[0])
	case 2:
		return int64(int16(binary.BigEndian.Uint16(b)))
	case 4:
		return int64(int32(binary.BigEndian.Uint32(b)))
	case 8:
		return int64(binary.BigEndian.Uint64(b))
	}
	return 0
}

// encode writes a parameter as a type has it.
func encode(oid uint32, v any) ([]byte, error) {
	switch v := v.(type) {
	case nil:
		return nil, nil
	case int64:
		if !FitsType(oid, v) {
			return nil, fmt.Errorf("the number %d is too large for where it stands", v)
		}
		return AppendInt(nil, oid, v), nil
	case bind.Instant:
		return encode(oid, int64(v))
	case bool:
		if v {
			return AppendInt(nil, oid, 1), nil
		}
		return AppendInt(nil, oid, 0), nil
	// Never nil, which would be NULL: an empty text is a text.
	case string:
		return AppendText([]byte{}, oid, v), nil
	case []byte:
		return slices.Concat([]byte{}, v), nil
	case bind.Numbers:
		return appendNumbers(nil, oid, v), nil
	case bind.Words:
		return appendWords(nil, oid, v), nil
	}
	return nil, fmt.Errorf("a parameter of type %T", v)
}

// Decode reads a value of a type: a number, a text or bytes.
func Decode(oid uint32, b []byte) any {
	switch {
	case b == nil:
		return nil
	case oid == TypeBool, oid == TypeInt2, oid == TypeInt4, oid == TypeInt8:
		return ReadInt(b)
	case oid == TypeBytes:
		return slices.Concat([]byte{}, b)
	}
	return FromText(string(b))
}

package bind

// Number is a value as it was read, if that is a number; else 0.
func Number(v any) int64 {
	n, _ := v.(int64)
	return n
}

// Word is a value as it was read, if that is a text; else "".
func Word(v any) string {
	w, _ := v.(string)
	return w
}

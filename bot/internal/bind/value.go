package bind

// NumberOf is a value as it was read, if that is a number; else 0.
func NumberOf(v any) int64 {
	n, _ := v.(int64)
	return n
}

// WordOf is a value as it was read, if that is a text; else "".
func WordOf(v any) string {
	w, _ := v.(string)
	return w
}

package record

// ListCount is how many entries a list has.
type ListCount struct {
	List    string
	Entries int
}

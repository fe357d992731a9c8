package seal

// Row is a row that has values to be sealed.
type Row struct {
	Key     []any
	Old     []Value
	Fresh   [][]byte // nil: the old one stays
	Changes int64
}

// Seal seals what the newest of keys has not sealed.
func (row *Row) Seal(v *Vault, keys *Ring, cells []Cell) error {
	for i, c := range cells {
		old := &row.Old[i]
		if old.Sealed == nil && (old.Text == "" || c.Column == ConversationValues && old.Text == EmptyBody) || NumberOf(old.Sealed) == keys.Newest {
			continue
		}
		text, err := old.TextFrom(v, c)
		if c.Column == SessionTokens && NumberOf(old.Sealed) == 0 {
			text, err = v.Secret.OpenSession(c.Account, old.Sealed)
		}
		if err != nil {
			return err
		}
		row.Fresh[i] = keys.Seal(c, text)
		row.Changes++
	}
	return nil
}

// Package seal answers what of a database is encrypted, by what, and where it may be read again. It knows the columns with sealed values
// (Table, Cell), the keys of a database (Vault, Ring), and the secret that opens these (Secret).
//
//	NECTAR_SECRET_KEY ──► Secret ──► opens the keys in seal_key ──► Ring in a Vault ──► Seal, Open a value at its Cell
//
// A value is stored as bytes, so that it is never taken for a text: the format, the number of the key, a nonce, and the sealed text. Bound to
// it is the cell where it stands:
//
//	v.Seal(seal.TimerData.OfTimer(key, name), text)    // column, account, and the key of the row
//
// Read cell.go first, then vault.go, secret.go for how keys are derived, keys.go for what happens when a database is opened. table.go lists
// where everything stands, for code that goes through all rows; forget.go is for a key that is lost.
//
// What holds:
//
//   - The number of a column never changes, nor how a cell is written: both are bound to values that lie in databases. A value in another place
//     does not open ([ErrChanged]), so nobody can move words to another person by copying a row.
//   - What is sealed under a closed vault reads as [ClosedText], in a form that its reader can still decode: one value must not keep a whole row,
//     or a whole list, from being shown.
//   - Keys are random and lie in the database, sealed with the secret. So a secret is changed by sealing keys, and not all values, anew; and two
//     secrets may be in force at a time.
//   - Readers take up keys that others have added (reload); only the writer changes the key that seals ([Vault.UseRing]). Otherwise values
//     could be sealed with a key that is deleted a moment later, and be lost with it.
//   - With a lost key, what waits is withdrawn or deleted before its words go ([Unlock] with forget): an action without a text must not leave.
//
// bot/internal/store seals on the way in and opens on the way back, bot/internal/move does so from one key to another, and
// bot/internal/postgres tells sealed bytes from a text.
package seal

// Package seal seals what people said, and what is known of them, on the way into a database, and opens it on the way back. It knows
// the columns whose values are sealed (Table, Cell), the keys of a database (Vault, Ring), and the secret that opens these (Secret).
package seal

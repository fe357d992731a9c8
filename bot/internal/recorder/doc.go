// Package recorder keeps one small file beside a database: which triggers' code runs, which requests are on the wire, and since when the
// process shows no sign of life. It is written without waiting for the disk: it is for the death of a process, which the memory of the
// system outlives; after the death of the machine it says nothing. It has ids only.
//
// What it says is believed only where that is proven: on the same boot of the machine, of the incarnation of the database just before, by a
// file that is whole and no copy, about a database that is no older than the file. Everywhere else it says nothing, and all is as without it.
package recorder

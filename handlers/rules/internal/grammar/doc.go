// Package grammar is what rule files can say.
//
// Each struct is a mapping of the files: its tags name the keys and tell people what they are for, which the JSON Schema and
// docs/rules.md are made of. [Read] turns the files of a folder into a [Folder], with the place of each thing, as far as they
// can be read; a [Folder] also knows which lines cannot, so that nobody is told of what only seems to be missing.
//
// What a file leaves out, its folder says: see the methods of Folder and of [File].
package grammar

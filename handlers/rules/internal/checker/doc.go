// Package checker says what is wrong with rule files that can be read, and what will not do what it seems to.
//
// [CheckFolder] looks at a folder as a whole: at names that nobody defines, texts with variables that nothing fills, rules
// that no event reaches, campaigns whose slots are never filled. It decides nothing and runs nothing; each file looks at one
// thing, and the order in which they are told is that of the lines.
package checker

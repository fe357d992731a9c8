// Package language understands what people write.
//
// One half compares texts with what rule files look for: a [Pattern] says it, an [Index] of many
// patterns finds in microseconds those that hold for a text that was [Read] once. The other half reads
// answers: dates, times, numbers, yes and no in five languages, e-mail addresses and phone numbers.
//
// Everything here is a function of its arguments: nothing reads the clock, and nothing is kept
// between two calls that a caller could see.
package language

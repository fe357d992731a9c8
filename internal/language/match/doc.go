// Package match compares texts with what rule files, and words for silence, look for: a [Pattern] says it, an [Index] of many patterns finds in
// microseconds those that hold for a text that was [Read] once. [Phrases] are what a whole text asks for.
//
// Everything here is a function of its arguments, and nothing is kept between two calls that a caller could see.
package match

// Package language reads answers: dates, times, numbers, yes and no in five languages, e-mail addresses and phone numbers. It shows dates and days in
// them, too. What it compares by is internal/language/match.
//
// Everything here is a function of its arguments: nothing reads the clock, and nothing is kept between two calls that a caller could see.
package language

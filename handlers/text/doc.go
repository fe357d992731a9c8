// Package text (nothing is promised of it) has the values of text files as people write them: lengths of time, limits, times of the day, days, opening
// hours, zones. Each reads itself from a part of a file of internal/textfile, and is written back as it was read.
package text

// Package survey plans campaigns over their lives before they are in force, and counts what comes of them: what is written may be
// right, line by line, and not come about.
package survey

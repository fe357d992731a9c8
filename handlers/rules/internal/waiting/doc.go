// Package waiting has what is kept of people who wait for an answer: what they asked, and what they were told since.
package waiting

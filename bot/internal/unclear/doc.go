// Package unclear has the error of a commit of which nobody knows whether it was made. Both engines return it.
package unclear

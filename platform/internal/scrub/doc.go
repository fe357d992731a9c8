// Package scrub keeps secrets out of errors: it takes them out of texts that the platform wrote.
//
// A platform may repeat a password or a token in any of the ways in which programs write texts, or in several of them, one
// inside another (disguise.go). Excerpt returns the beginning of an answer without them, and without what looks like a
// token, an e-mail or an IP address; Error does the same to an error of a transport:
//
//	return &Unreachable{Endpoint: endpoint, Err: scrub.Error(err, secrets)}
package scrub

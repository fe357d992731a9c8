// Package lean makes exchanges over HTTP/1.1 for small calls to few hosts, at about two thirds of the cost of net/http: a connection has no goroutines of its own, a
// request is one write, and what arrives is read by whoever called. Answers are parsed by net/http, so that both understand the same.
//
// What is out of the ordinary – proxies, HTTP/2, bodies of unknown or great length, unusual headers, systems on which an idle connection cannot be looked at –
// is left to the http.Transport that every exchange is given.
//
// What a client has to know about a request that failed is whether any of it may have left. A request counts as written from its first byte on, not before: the
// hook WroteHeaders of net/http/httptrace is called when the socket has taken it over. Before a kept connection is used it is looked at; the server may have
// closed it. A request of which nothing left goes by another connection, and so does one that asks only (GET) when a kept connection
// ends without an answer; of all others nobody knows.
package lean

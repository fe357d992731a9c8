package poll

// ParseAge is parseAge, for the tests.
var ParseAge = parseAge

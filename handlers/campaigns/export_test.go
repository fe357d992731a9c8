package campaigns

// The tests of how publications are written name their lists.
type (
	Times        = times
	Publications = publications
	Published    = published
)

// Package simulate holds the simulator that proves what Nectar promises: the whole runtime and the
// whole platform in one process, with time that moves by itself. A seed chooses the people and what
// they do, fault injection, how long everything takes, at which write, request or answer the bot dies, and
// when it comes back. The platform's ledger decides whether anything was lost, doubled, out of order
// or switched to and fro.
//
//	go test ./bot/internal/simulate                            # 500 seeds
//	go test ./bot/internal/simulate -run '^TestSeeds$' -seeds 10000    # more of them
//	go test ./bot/internal/simulate -run '^TestSeeds$' -seed 4711 -v   # one of them, with its decision record
//	go test ./bot/internal/simulate -run 'Mutations$' -mutations -v    # break the runtime on purpose, see the seeds fail
//
// A run repeats exactly: whatever is drawn comes from a hash of the seed and of what it is drawn for,
// never from the order in which goroutines happen to ask, and no two of them wake at one instant.
package simulate

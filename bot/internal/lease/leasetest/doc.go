// Package leasetest has what a simulated process of a worker consists of: something that holds it up, a clock of its own, and a
// deadman. No program holds it.
package leasetest

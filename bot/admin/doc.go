// Package admin is what operators do with the database of bots: take accounts to another one, change its key, make it smaller, and see to
// the workers that share it. The commands nectar move, rekey, forget, workers and doctor stand on it. For tools: it may change between
// versions.
package admin

//go:build !unix

package campaigns_test

// cpu is not measured here.
func cpu() float64 { return 0 }

//go:build purego || !amd64

package totals

// add reports that there is no kernel.
func add[T Integer](*byte, int) (sum int64, ok bool) { return 0, false }

// addFloats reports that there is no kernel.
func addFloats[T Float](*T, int, *[8]float64) bool { return false }

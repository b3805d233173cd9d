//go:build purego || !amd64

package totals

// add reports that there is no kernel.
func add[T Integer](*byte, int) (sum int64, ok bool) { return 0, false }

// addFloats reports that there is no kernel.
func addFloats[T Float](*T, int, *[8]float64) bool { return false }

// columns reports that there are no kernels.
func columns() bool { return false }

func addRows[T Float]([]float64, *T, int, int) {}

func addRow[T Float]([]float64, *T, int) {}

func addTwice(_, _, _ []float64) int { return 0 }

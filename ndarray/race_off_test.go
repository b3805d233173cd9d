//go:build !race

package ndarray_test

// raceDetector says that pools drop memory at random.
const raceDetector = false

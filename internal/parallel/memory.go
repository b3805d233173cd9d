package parallel

import (
	"math"
	"runtime/debug"
)

const (
	defaultMemory = 256 << 20
	limitShare    = 2 // a call takes 1/limitShare of the process's memory limit
)

// Memory resolves an option named Memory: asked or, if that is 0, 256 MiB, but at most half of the
// process's memory limit (GOMEMLIMIT).
func Memory(asked int64) int64 {
	if asked > 0 {
		return asked
	}

	memory := int64(defaultMemory)
	if limit := debug.SetMemoryLimit(-1); limit < math.MaxInt64 {
		memory = max(1, min(memory, limit/limitShare))
	}
	return memory
}

// Within returns the number of workers that fit into memory if each takes each bytes; at least one.
func Within(memory, each int64, workers int) int {
	return int(max(1, min(int64(workers), memory/max(1, each))))
}

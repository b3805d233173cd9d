package parallel

import (
	"math"
	"runtime/debug"
)

const (
	defaultMemory = 256 << 20
	limitShare    = 2 // of a memory limit a call takes one part in so many
)

// Memory returns the bytes that an option named Memory stands for: asked, or if that is 0 then 256
// MiB, or half of the limit that the process has (GOMEMLIMIT) if that is less.
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

// Within returns how many workers there is memory for, of which each takes some: one at least.
func Within(memory, each int64, workers int) int {
	return int(max(1, min(int64(workers), memory/max(1, each))))
}

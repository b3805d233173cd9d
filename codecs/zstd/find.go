package zstd

// newFinder returns what looks for matches at a level. Each level is made to give about the size that C-Blosc2's gives, which is
// Zstandard's level 2n-1, or 22 for 9, and to be at least as fast where that is possible: docs/performance.md has the figures.
func newFinder(level int) finder {
	switch level {
	case 0, 1:
		return new(fastFinder)
	case 2:
		return &doubleFinder{step: 64, haste: 6}
	case 3:
		return &doubleFinder{step: 8, haste: 8, lazy: true}
	case 4:
		return &doubleFinder{step: 2, haste: 8, lazy: true}
	case 5:
		return &lazyFinder{attempts: 6, patience: 1}
	case 6:
		return &lazyFinder{attempts: 16, patience: 2}
	case 7:
		return &lazyFinder{attempts: 16, patience: 3}
	case 8:
		return newOptimalFinder(16, 160, 1, true)
	}
	return newOptimalFinder(128, 999, 2, false)
}

package zstd

import "github.com/cairn-go/cairn/internal/asm/zstdfind"

// newFinder returns the finder of a level. Each level aims at the ratio of the same level of
// C-Blosc2, which is Zstandard's level 2n-1, or 22 for level 9, and to be at least as fast if
// possible: bench/results/codecs.md has the figures.
func newFinder(level int) finder {
	switch level {
	case 0, 1:
		return new(fastFinder)
	case 2:
		return &doubleFinder{spare: 1, search: zstdfind.Double{Ignore: 24, Haste: 5, Reach: 3}}
	case 3:
		return &doubleFinder{search: zstdfind.Double{Ignore: 32, Haste: 8, Reach: 16, Lazy: true}}
	case 4:
		return newLazyFinder(6, 1, false)
	case 5:
		return newLazyFinder(12, 1, true)
	case 6:
		f := newLazyFinder(16, 1, true)
		f.margin = 2
		return f
	case 7, 8:
		return newLazyFinder(32, 2, true)
	}

	return newOptimalFinder(32, 999, 2)
}

package zstd

// newFinder returns what looks for matches at a level, by what C does at the level of Zstandard that it stands for.
func newFinder(level int) finder {
	switch level {
	case 0, 1, 2:
		return new(fastFinder)
	case 3:
		return &lazyFinder{attempts: 8, patience: 1}
	case 4:
		return &lazyFinder{attempts: 16, patience: 2}
	}
	return &lazyFinder{attempts: 32, patience: 2}
}

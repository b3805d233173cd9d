package zstd

import "github.com/cairn-go/cairn/internal/asm/zstdfind"

// A learner is a finder with a dictionary, which precedes the data in one buffer. It processes the
// dictionary once, and after each frame forgets only the data.
type learner interface {
	finder
	// learn processes src, the dictionary, for frames of n bytes.
	learn(src []byte, n int)
	// resume prepares the finder for all, which begins with the dictionary.
	resume(all []byte, size int)
	// forget restores the state before all[size:].
	forget(all []byte, size int)
}

// newLearner returns the finder of a level with a dictionary. The optimal finder, whose tree cannot
// be restored, is replaced by a longer lazy search.
func newLearner(level int) learner {
	switch f := newFinder(level).(type) {
	case *fastFinder:
		return &fastLearner{fastFinder: f}
	case *doubleFinder:
		return &doubleLearner{doubleFinder: f}
	case *lazyFinder:
		return &lazyLearner{lazyFinder: f}
	}
	return &lazyLearner{lazyFinder: newLazyFinder(64, 2, true)}
}

// A fastLearner is a fastFinder whose table is copied for every frame.
type fastLearner struct {
	*fastFinder
	table [1 << zstdfind.TableLog]uint32
}

func (f *fastLearner) learn(src []byte, _ int) {
	f.begin(src)
	f.search.Src = src
	f.search.Learn(0, len(src)-7)
	f.search.Src = nil
	f.table = f.search.Table
}

func (f *fastLearner) resume(all []byte, _ int) { f.size = max(f.size, uint32(len(all))) }

func (f *fastLearner) forget([]byte, int) { f.search.Table = f.table }

// A doubleLearner is a doubleFinder that restores the entries changed by a frame.
type doubleLearner struct {
	*doubleFinder
	known zstdfind.Double
}

func (f *doubleLearner) learn(src []byte, _ int) {
	f.begin(src)

	s := &f.search
	s.SetLog(zstdfind.LongLog)
	s.Src = src
	s.Learn(0, len(src)-7)
	f.known = *s
	s.Src = nil
	f.known.Src = nil
}

func (f *doubleLearner) resume(all []byte, _ int) { f.size = max(f.size, uint32(len(all))) }

func (f *doubleLearner) forget(all []byte, size int) {
	f.search.Src = all
	f.search.Restore(&f.known, size, len(all)-7)
	f.search.Src = nil
}

// A lazyLearner is a lazyFinder that restores the rows changed by a frame. The number of rows
// depends on the frame size, so they are rebuilt for frames of another size.
type lazyLearner struct {
	*lazyFinder
	known zstdfind.Rows
	log   int
	next  int
}

// rowsFor returns the binary logarithm of the number of rows for size bytes and a frame of n bytes.
// It is the same for all short frames.
func rowsFor(size, n int) int {
	return min(max(bitLength(size+max(n, 1<<15))-5, 4), zstdfind.MaxRowLog)
}

func (f *lazyLearner) learn(src []byte, n int) {
	f.begin(src)

	r := &f.rows
	f.log = rowsFor(len(src), n)
	r.SetLog(f.log)
	r.Src = src

	for r.Next+8 <= len(src) {
		r.Add()
	}
	f.next = r.Next

	f.known.SetLog(f.log)
	f.known.Restore(r, 0, 1<<f.log)
	r.Src = nil
}

func (f *lazyLearner) resume(all []byte, size int) {
	if f.log != rowsFor(size, len(all)-size) {
		f.learn(all[:size], len(all)-size)
	}
	f.rows.Next = f.next
	f.size = max(f.size, uint32(len(all)))
}

func (f *lazyLearner) forget(all []byte, size int) {
	f.rows.Src = all
	f.rows.Restore(&f.known, f.next, len(all)-4)
	f.rows.Src = nil
}

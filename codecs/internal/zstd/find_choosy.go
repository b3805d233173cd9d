package zstd

// A choosyFinder searches like a lazyFinder. If that finds almost only matches of some tens of
// bytes, it switches to the optimal search, since there are many matches to choose from. It decides
// after the first block, because the optimal search must process all preceding data.
type choosyFinder struct {
	lazy   *lazyFinder
	best   *optimalFinder // created on first use
	choose bool
}

func (f *choosyFinder) begin(src []byte) { f.lazy.begin(src) }

func (f *choosyFinder) find(e *Encoder, src []byte, from, to int) {
	if from == 0 || !f.choose {
		f.lazy.find(e, src, from, to)
	}
	if from == 0 {
		if f.choose = f.promising(e, to); f.choose {
			f.prepare(src)
		}
	}
	if f.choose {
		f.best.find(e, src, from, to)
	}
}

// promising decides about the optimal search by the result of the lazy search in n bytes.
func (f *choosyFinder) promising(e *Encoder, n int) bool {
	literals := n
	for i := range e.seqs {
		literals -= int(e.seqs[i].Length)
	}
	each := n / max(len(e.seqs), 1)
	return literals <= n/32 && each >= 24 && each <= 56
}

func (f *choosyFinder) prepare(src []byte) {
	if f.best == nil {
		f.best = newOptimalFinder(12, 256, 1)
		f.best.seeded = true
	}
	f.best.begin(src)
}

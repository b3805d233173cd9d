package zstd

// A choosyFinder searches as a lazyFinder does. Where that shows that nearly everything is matches
// of some tens of bytes, many to choose from, it goes on to find the best way. It decides by the
// first block: the other search has to know all that came before.
type choosyFinder struct {
	lazy   *lazyFinder
	best   *optimalFinder // made when it is needed first
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

// promising judges what the lazy search found in n bytes.
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

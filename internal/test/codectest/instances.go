package codectest

import (
	"bytes"
	"fmt"
	"sync"
	"testing"

	"github.com/cairn-go/cairn/codecs"
)

// concurrent uses separate instances concurrently and compares their output with that of a single
// one.
func concurrent(t *testing.T, row codecs.Row) {
	const level, workers, rounds = 5, 4, 3
	var sources, streams [][]byte
	p := newPair(t, row, level)
	for _, kind := range Kinds() {
		src := kind.Make(20_000)
		sources = append(sources, src)
		streams = append(streams, append([]byte(nil), p.encode(t, src, ample(len(src)))...))
	}

	var wg sync.WaitGroup
	errs := make([]error, workers)
	for w := range workers {
		mine := newPair(t, row, level)
		wg.Go(func() {
			for i := range rounds * len(sources) {
				if err := mine.repeat(sources[(i+w)%len(sources)], streams[(i+w)%len(sources)]); err != nil {
					errs[w] = err
					return
				}
			}
		})
	}
	wg.Wait()

	for _, err := range errs {
		if err != nil {
			t.Error(err)
		}
	}
}

// repeat encodes and decodes once and compares both results with the expected ones.
func (p *pair) repeat(src, stream []byte) error {
	dst := make([]byte, ample(len(src)))
	n, err := p.enc.Encode(dst, src)
	if err != nil || !bytes.Equal(dst[:n], stream) {
		return fmt.Errorf("%s: %d bytes encode to %d, alone to %d: %v", p.row.Name, len(src), n, len(stream), err)
	}
	if n == 0 {
		return nil
	}

	back := make([]byte, len(src))
	if err := p.dec.Decode(back, stream); err != nil || !bytes.Equal(back, src) {
		return fmt.Errorf("%s: %d bytes do not come back: %v", p.row.Name, len(src), err)
	}
	return nil
}

// countAllocations returns the mean over several runs, because the pools of libraries may be empty.
func (p *pair) countAllocations(t *testing.T, kind Kind, n, runs int) {
	src := kind.Make(n)
	dst := make([]byte, ample(n))
	back := make([]byte, n)
	stream := p.encode(t, src, ample(n))
	for _, room := range []int{ample(n), n, len(stream) / 2} {
		got := testing.AllocsPerRun(runs, func() {
			if _, err := p.enc.Encode(dst[:room], src); err != nil {
				t.Error(err)
			}
		})
		if got != 0 {
			t.Errorf("%s level %d: encoding %d bytes of %s into %d allocates %v times", p.row.Name, p.level, n, kind.Name, room, got)
		}
	}

	if stream == nil {
		return
	}

	got := testing.AllocsPerRun(runs, func() {
		if err := p.dec.Decode(back, stream); err != nil {
			t.Error(err)
		}
	})

	if got != 0 {
		t.Errorf("%s level %d: decoding %d bytes of %s allocates %v times", p.row.Name, p.level, n, kind.Name, got)
	}
}

package storagetest

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/cairn-go/cairn/storage"
)

// RunRanges checks the contract of [storage.RangeReader]. open must return a reader of data.
func RunRanges(t *testing.T, open func(t *testing.T, data []byte) storage.RangeReader) {
	data := make([]byte, 100_000)
	rnd := rand.New(rand.NewPCG(1, 2))
	for i := range data {
		data[i] = byte(rnd.Uint32())
	}

	t.Run("sizes", func(t *testing.T) {
		for _, n := range []int{0, 1, 4096, len(data)} {
			at, err := open(t, data[:n]).Stat(t.Context())
			if err != nil || at.Size != int64(n) {
				t.Errorf("%d bytes: %+v, %v", n, at, err)
			}
		}
	})

	t.Run("ranges", func(t *testing.T) {
		r := open(t, data)
		var wg sync.WaitGroup
		for seed := range uint64(4) {
			wg.Go(func() {
				rnd := rand.New(rand.NewPCG(seed, 3))
				for range 20 {
					readSome(t, r, data, rnd)
				}
			})
		}
		wg.Wait()
	})

	t.Run("context", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		r := open(t, data)
		cancel()
		b := make([]byte, 10)
		if err := r.ReadRanges(ctx, []storage.Range{{Off: 50_000, Data: b}}); !errors.Is(err, context.Canceled) {
			t.Errorf("a context that has ended: %v", err)
		}
	})
}

// readSome reads several ranges, which may overlap, in one call.
func readSome(t *testing.T, r storage.RangeReader, data []byte, rnd *rand.Rand) {
	var ranges []storage.Range
	for range rnd.IntN(6) {
		off := rnd.IntN(len(data) + 1)
		n := rnd.IntN(len(data) - off + 1)
		if rnd.IntN(2) == 0 {
			n = min(n, rnd.IntN(300))
		}
		ranges = append(ranges, storage.Range{Off: int64(off), Data: make([]byte, n)})
	}

	if err := r.ReadRanges(t.Context(), ranges); err != nil {
		t.Error(err)
	}

	for _, one := range ranges {
		if !bytes.Equal(one.Data, data[one.Off:][:len(one.Data)]) {
			t.Errorf("%d bytes at %d are others", len(one.Data), one.Off)
		}
	}
}

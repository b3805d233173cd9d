package chunk

import (
	"bytes"
	"context"
	"errors"
	"sync/atomic"
	"testing"

	"github.com/cairn-go/cairn/codecs"
)

// ender is a source and sink of blocks that cancels a context at the third block. Later blocks wait
// for that, since the system may suspend the goroutine that cancels.
type ender struct {
	wholeSource
	blocks atomic.Int32
	end    context.CancelFunc
	ended  <-chan struct{}
}

func (e *ender) pass() {
	switch n := e.blocks.Add(1); {
	case n == 3:
		e.end()
	case n > 3:
		<-e.ended
	}
}

func (e *ender) Block(scratch []byte, index int) []byte {
	e.pass()
	return e.wholeSource.Block(scratch, index)
}

func (e *ender) Dst(_, _ int) []byte { return nil }
func (e *ender) Put(_ int, _ []byte) { e.pass() }

// TestWorkOnAChunkEndsWithItsContext counts the blocks that are processed after that.
func TestWorkOnAChunkEndsWithItsContext(t *testing.T) {
	const blocks, size = 64, 4096
	data := make([]byte, blocks*size)
	for i := range data {
		data[i] = byte(i / 97)
	}
	for _, workers := range []int{1, 2} {
		enc, err := NewEncoder(&Options{TypeSize: 4, Codec: codecs.Zstd, BlockSize: size, Workers: workers})
		if err != nil {
			t.Fatal(err)
		}
		whole, err := enc.Append(nil, data)
		if err != nil {
			t.Fatal(err)
		}
		most := int32(3 + workers)
		ends := func(what string, work func(ctx context.Context, e *ender) error) {
			t.Helper()
			ctx, cancel := context.WithCancel(t.Context())
			e := &ender{wholeSource: wholeSource{data: data, blockSize: size}, end: cancel, ended: ctx.Done()}
			enc.Watch(ctx)
			defer enc.Watch(context.Background())
			if err := work(ctx, e); !errors.Is(err, context.Canceled) {
				t.Errorf("%s, %d workers: %v", what, workers, err)
			}
			if n := e.blocks.Load(); n > most {
				t.Errorf("%s, %d workers: %d of %d blocks", what, workers, n, blocks)
			}
		}
		ends("encode", func(_ context.Context, e *ender) error {
			out, err := enc.AppendBlocks([]byte("as it was"), len(data), e)
			if string(out) != "as it was" {
				t.Error("something was appended")
			}
			return err
		})
		changed := make([]bool, blocks)
		for i := range changed {
			changed[i] = i > 0
		}
		ends("rewrite", func(_ context.Context, e *ender) error { _, _, err := rewriteOf(t, enc, whole, changed, e); return err })
		ends("decode", func(ctx context.Context, e *ender) error {
			dec := NewDecoder(&DecodeOptions{Workers: workers})
			dec.Watch(ctx)
			h, _ := ParseHeader(whole)
			err := dec.DecodeBlocks(h, whole, nil, e)
			dec.Watch(context.Background())
			got := make([]byte, len(data))
			if _, err := dec.Decode(got, whole); err != nil || !bytes.Equal(got, data) {
				t.Error("decoding afterwards:", err)
			}
			return err
		})
		if again, err := enc.Append(nil, data); err != nil || !bytes.Equal(again, whole) {
			t.Error("encoding afterwards:", err)
		}
	}
}

package chunk

import (
	"bytes"
	"fmt"
	"sync"
	"testing"

	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/shuffle"
)

// everyOptions calls visit with options of every codec and pipeline of the tests, and data for
// them.
func everyOptions(visit func(o Options, src []byte)) {
	for _, row := range plainCodecs() {
		for _, name := range []string{"none", "default", "bit", "shuffle+delta", "delta+shuffle"} {
			for _, level := range []int{1, 6} {
				o := Options{TypeSize: 4, Codec: codecs.ByID(row.ID, 0), Level: level,
					Filters: pipelines[name], BlockSize: 8 << 10}
				visit(o, whole("patches", 70_000, 4))
			}
		}
	}
}

// aloneEncoder returns an encoder whose workers share no memory.
func aloneEncoder(t *testing.T, o *Options) *Encoder {
	t.Helper()
	e, err := NewEncoder(o)
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range e.workers {
		w.private = true
	}
	return e
}

// dirty fills pooled workspaces with other data, some larger than the tests need and some smaller.
func dirty(t *testing.T, row uint8, level int) {
	t.Helper()
	for i, size := range []int{300_000, 1000} {
		o := &Options{TypeSize: 8, Codec: codecs.ByID(row, 0), Level: level,
			Filters: []shuffle.Spec{shuffle.Delta, shuffle.Bit}, Workers: 2}
		src := sample("patches", size, 8, uint64(i+5))
		back, err := NewDecoder(&DecodeOptions{Workers: 2}).Decode(make([]byte, size), encode(t, o, src))
		if err != nil || back != size {
			t.Fatal(back, err)
		}
	}
}

// TestWorkspacesDoNotAffectResults encodes and decodes in new memory and in memory full of other
// data.
func TestWorkspacesDoNotAffectResults(t *testing.T) {
	visited := 0
	everyOptions(func(o Options, src []byte) {
		if visited++; testing.Short() && visited%3 != 0 {
			return
		}
		want, err := aloneEncoder(t, &o).Append(nil, src)
		if err != nil {
			t.Fatal(err)
		}
		dirty(t, o.Codec.ID(), o.ResolvedLevel())
		for _, workers := range []int{1, 3} {
			o.Workers = workers
			got := encode(t, &o, src)
			if !bytes.Equal(got, want) {
				t.Fatalf("%+v: used memory changes what is written", o)
			}
			dirty(t, o.Codec.ID(), o.ResolvedLevel())
			back := bytes.Repeat([]byte{0xa5}, len(src))
			if _, err := NewDecoder(&DecodeOptions{Workers: workers}).Decode(back, got); err != nil || !bytes.Equal(back, src) {
				t.Fatalf("%+v: used memory changes what is read: %v", o, err)
			}
		}
	})
}

// TestIdleEncodersHoldNoWorkspace checks that workspaces are returned, also after errors.
func TestIdleEncodersHoldNoWorkspace(t *testing.T) {
	e, err := NewEncoder(&Options{TypeSize: 4, Workers: 2, BlockSize: 4096})
	if err != nil {
		t.Fatal(err)
	}
	d := NewDecoder(&DecodeOptions{Workers: 2})
	idle := func(when string) {
		t.Helper()
		for i := range 2 {
			if e.workers[i].space != nil || d.workers[i].space != nil {
				t.Fatalf("%s: a worker still has a workspace", when)
			}
		}
	}
	idle("new")
	c, err := e.Append(nil, whole("patches", 50_000, 4))
	if err != nil {
		t.Fatal(err)
	}
	idle("after encoding")
	back := make([]byte, 50_000)
	if _, err := d.Decode(back, c); err != nil {
		t.Fatal(err)
	}
	idle("after decoding")
	clear(c[len(c)/2:])
	if _, err := d.Decode(back, c); err == nil {
		t.Fatal("half a chunk was decoded")
	}
	idle("after a failure")
	zeros := mustEncodeZeros(t)
	h, _ := ParseHeader(zeros)
	if err := d.DecodeBlocks(h, zeros, nil, &recordingSink{}); err != nil {
		t.Fatal(err)
	}
	idle("after a special chunk")
}

func mustEncodeZeros(t *testing.T) []byte {
	return encode(t, &Options{TypeSize: 4}, make([]byte, 50_000))
}

// recordingSink returns nil from Dst, so that the decoder needs memory for blocks.
type recordingSink struct{ bytes int }

func (s *recordingSink) Dst(int, int) []byte    { return nil }
func (s *recordingSink) Put(_ int, data []byte) { s.bytes += len(data) }

// TestSameBytesWithAnyNumberOfWorkers encodes with every codec and pipeline, with several
// encoders concurrently.
func TestSameBytesWithAnyNumberOfWorkers(t *testing.T) {
	var wg sync.WaitGroup
	problems := make(chan error, 1000)
	everyOptions(func(o Options, src []byte) {
		want := encode(t, &o, src)
		for _, workers := range []int{2, 3, 8} {
			wg.Go(func() {
				o := o
				o.Workers = workers
				e, err := NewEncoder(&o)
				for range 2 {
					var got []byte
					if err == nil {
						got, err = e.Append([]byte("before"), src)
					}
					if err != nil || !bytes.Equal(got, append([]byte("before"), want...)) {
						problems <- fmt.Errorf("%s level %d, %d workers: other bytes than one worker, or %w", o.Codec, o.Level, workers, err)
					}
				}
			})
		}
		wg.Wait()
	})
	close(problems)
	for err := range problems {
		t.Error(err)
	}
}

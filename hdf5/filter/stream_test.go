package filter

import (
	"bytes"
	"errors"
	"runtime"
	"testing"

	"github.com/cairn-go/cairn"
)

// TestLargeShuffledChunksAreHeldOnce decodes a large chunk, which takes no memory besides.
func TestLargeShuffledChunksAreHeldOnce(t *testing.T) {
	filters := []Filter{{ID: Shuffle, Params: []uint32{4}}, {ID: Deflate, Params: []uint32{1}}, {ID: Fletcher32}}
	want := make([]byte, streamed+3)
	for i := 0; i < len(want); i += 1001 {
		want[i] = byte(i)
	}
	copy(want[streamed:], "end")
	src, mask, err := Encode(nil, want, filters)
	if err != nil || mask != 0 {
		t.Fatal(mask, err)
	}

	got := make([]byte, len(want))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if err := Decode(got, src, filters, 0); err != nil || !bytes.Equal(got, want) {
		t.Errorf("items differ: %v", err)
	}
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; took > 1<<20 {
		t.Errorf("%d bytes of memory", took)
	}
}

// TestStreamsOfShuffledItems decodes what is too short, too long or damaged.
func TestStreamsOfShuffledItems(t *testing.T) {
	filters := []Filter{{ID: Shuffle, Params: []uint32{4}}, {ID: Deflate}}
	want := bytes.Repeat([]byte("one two three "), 50)[:403]
	src, _, err := Encode(nil, want, filters)
	if err != nil {
		t.Fatal(err)
	}
	got := make([]byte, len(want))
	if err := inflateShuffled(got, src, 4); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%q: %v", got, err)
	}

	spoilt := bytes.Clone(src)
	spoilt[len(src)-1] ^= 1
	for what, err := range map[string]error{
		"fewer items": inflateShuffled(got[:399], src, 4), "more items": inflateShuffled(make([]byte, 407), src, 4),
		"a short stream": inflateShuffled(got, src[:len(src)-5], 4), "another checksum": inflateShuffled(got, spoilt, 4),
		"no stream": inflateShuffled(got, want, 4),
	} {
		if !errors.Is(err, cairn.ErrCorrupt) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

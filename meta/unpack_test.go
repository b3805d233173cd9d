package meta

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math/bits"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/cairn-go/cairn"
)

// many returns a list of n copies of the value encoded by b.
func many(n int, b byte) []byte {
	return append(binary.BigEndian.AppendUint32([]byte{0xdd}, uint32(n)), bytes.Repeat([]byte{b}, n)...)
}

func TestUnpackBoundsAllocs(t *testing.T) {
	for name, b := range map[string][]byte{
		"empty lists": many(60<<20, 0x90),
		"empty maps":  many(60<<20, 0x80),
		"empty texts": many(60<<20, 0xa0),
		"numbers":     append(many(1, 0xdd), many(60<<20, 7)[1:]...),
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		start := time.Now()
		_, err := Unpack(b)
		took := time.Since(start)
		runtime.ReadMemStats(&after)
		if err == nil {
			t.Errorf("%s: no error", name)
		}
		made, most := after.TotalAlloc-before.TotalAlloc, uint64(ValueBytes(cairn.Limits{}))+1<<20
		if made > most {
			t.Errorf("%s: %d bytes of memory, at most %d are allowed", name, made, most)
		}
		if took > 5*time.Second {
			t.Errorf("%s: took %v", name, took)
		}
	}
}

// TestUnpackedValuesAllocateAFewTimesTheirBytes unpacks what takes most memory for its length.
func TestUnpackedValuesAllocateAFewTimesTheirBytes(t *testing.T) {
	repeat := func(element string) []byte {
		n := 1 << 18 / len(element)
		return append(binary.BigEndian.AppendUint32([]byte{0xdd}, uint32(n)), strings.Repeat(element, n)...)
	}
	for _, c := range []struct {
		name, element string
		most          float64
	}{
		{"small numbers", "\x07", 16}, {"negative numbers", "\xe5", 16}, {"nothing", "\xc0", 16}, {"bytes of 200", "\xcc\xc8", 8},
		{"numbers", "\xcd\x20\x00", 8}, {"empty texts", "\xa0", 16}, {"letters", "\xa1a", 16}, {"empty bytes", "\xc4\x00", 8},
		{"bytes", "\xc4\x01a", 16}, {"extensions", "\xd4\x05a", 19}, {"floats", "\xcb12345678", 3}, {"empty lists", "\x90", 16},
		{"lists of one", "\x91\x07", 28}, {"maps of one", "\x81\x07\x07", 24}, {"tuples", "\x91\xa9__tuple__", 8},
		{"nested lists", strings.Repeat("\x91", 120) + "\x07", 40}, {"nested maps", strings.Repeat("\x81\x07", 120) + "\x07", 28},
	} {
		b := repeat(c.element)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		v, err := Unpack(b)
		runtime.ReadMemStats(&after)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		runtime.KeepAlive(v)
		// A few allocations may be those of the runtime.
		if times := float64(after.TotalAlloc-before.TotalAlloc-4096) / float64(len(b)); times > c.most+0.5 {
			t.Errorf("%s: %.1f times the bytes of the msgpack, at most %v are stated", c.name, times, c.most)
		}
	}
}

func TestUnpackCountsAllocs(t *testing.T) {
	numbers := many(1000, 7)
	budget := int64(3 * 1000 * slotBytes)
	for i := range 3 {
		_, err := UnpackWithin(numbers, &budget)
		if last := i == 2; last != errors.Is(err, cairn.ErrLimit) || !last && err != nil {
			t.Errorf("value %d: %v", i, err)
		}
	}
	// The counted memory is about the allocated memory, up to rounding.
	value, err := Pack([]any{
		"a text of some length", 1.5, 300, []byte{1, 2, 3}, Map{{"key", Tuple{1, 2}}}, Ext{3, []byte{9}},
	})
	if err != nil {
		t.Fatal(err)
	}
	const most = 1 << 20
	budget = most
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	const rounds = 100
	for range rounds {
		if _, err := UnpackWithin(value, &budget); err != nil {
			t.Fatal(err)
		}
	}
	runtime.ReadMemStats(&after)
	made := float64(after.TotalAlloc - before.TotalAlloc)
	words := 64.0 / bits.UintSize // counted in words of 64 bits
	if counted := float64(most - budget); made > 1.5*counted || counted > 1.5*words*made {
		t.Errorf("%v bytes are made, %v are counted", made, counted)
	}
}

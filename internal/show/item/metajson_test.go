package item

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"math"
	"runtime"
	"strings"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/meta"
)

// usual is the JSON of Meta.
func usual(t *testing.T, packed []byte) string {
	t.Helper()
	v, err := meta.Unpack(packed)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(Meta(v)); err != nil {
		t.Fatal(err)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func TestWriteMetaIsTheJSONOfMeta(t *testing.T) {
	every := make([]byte, 128)
	for i := range every {
		every[i] = byte(i)
	}
	for _, v := range []any{
		nil, true, -1, 255, int64(math.MinInt64), uint64(math.MaxUint64), 1.5, float32(0.1), 1e300, 1e-9, math.NaN(),
		math.Inf(-1), "", "é\"\\ <&> \u2028 𝄞", string(every), []byte{1, 2, 3, 250}, meta.Ext{Type: -3, Data: []byte("ab")},
		[]any{}, meta.Map{}, meta.Tuple{}, meta.Tuple{1, "x"}, []any{"x", meta.Tuple{}, []any{nil}},
		meta.Map{{Key: "a", Value: []any{1, meta.Map{{Key: "c", Value: "d"}}}}, {Key: "b", Value: 2}},
		meta.Map{{Key: 5, Value: 1}}, meta.Map{{Key: []any{1, "x"}, Value: 1}}, meta.Map{{Key: nil, Value: meta.Tuple{2}}},
	} {
		packed, err := meta.Pack(v)
		if err != nil {
			t.Fatal(err)
		}
		var got bytes.Buffer
		if err := WriteMeta(&got, packed); err != nil {
			t.Fatalf("%v: %v", v, err)
		}
		// The encoder escapes two more characters, and one as other text.
		want := strings.NewReplacer(`\u2028`, "\u2028").Replace(usual(t, packed))
		if got.String() != want {
			t.Errorf("%v:\n%s, want\n%s", v, &got, want)
		}
		for n := range packed {
			got.Reset()
			if err := WriteMeta(&got, packed[:n]); !errors.Is(err, cairn.ErrCorrupt) || got.Len() > 0 {
				t.Errorf("%d bytes of %v: %v, %q", n, v, err, &got)
			}
		}
	}
}

// TestWriteMetaAllocs holds that JSON of many small values takes no memory for each.
func TestWriteMetaAllocs(t *testing.T) {
	for _, unit := range []string{"\x90", "\x91\x90", "\xff", "\x80", "\x81\xa1a\x02", strings.Repeat("\x91", 100) + "\x90"} {
		const n = 1 << 20
		count := n / len(unit)
		packed := binary.BigEndian.AppendUint32([]byte{0xdd}, uint32(count))
		packed = append(packed, strings.Repeat(unit, count)...)
		var size counter
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		err := WriteMeta(&size, packed)
		runtime.ReadMemStats(&after)
		made := after.TotalAlloc - before.TotalAlloc
		if err != nil || size < n || made > 16*n {
			t.Errorf("%q: %v, %d bytes of JSON, %d of memory", unit[:min(3, len(unit))], err, size, made)
		}
	}
}

// A counter counts bytes.
type counter int

func (c *counter) Write(b []byte) (int, error) {
	*c += counter(len(b))
	return len(b), nil
}

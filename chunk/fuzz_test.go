package chunk

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/shuffle"
)

// fuzzLimits keep a hostile header from making the fuzzer itself slow.
var fuzzLimits = cairn.Limits{MaxChunk: 1 << 20, MaxAlloc: 1 << 20}

// seeds returns chunks of every kind, small enough to mutate quickly.
func seeds(t testing.TB) [][]byte {
	var all [][]byte
	for _, row := range plainCodecs() {
		for _, filters := range [][]shuffle.Spec{nil, {shuffle.Bit}, {shuffle.Delta, shuffle.Byte}} {
			o := &Options{TypeSize: 4, Codec: codecs.ByID(row.ID, 0), Filters: filters, BlockSize: 256}
			all = append(all, encode(t, o, sample("ramp", 1001, 4, 1)), encode(t, o, sample("patches", 700, 4, 2)))
			o.Blosc1 = true
			all = append(all, encode(t, o, sample("ramp", 601, 4, 1)))
		}
	}
	for kind := SpecialZeros; kind <= SpecialUninit; kind++ {
		var value []byte
		if kind == SpecialValue {
			value = []byte{1, 2, 3, 4}
		}
		c, err := AppendSpecial(nil, kind, value, 400, 4, 100)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, c)
	}
	for _, row := range plainCodecs() {
		all = append(all, encodeVL(t, &Options{TypeSize: 4, Codec: codecs.ByID(row.ID, 0)},
			piecesOf("ramp", 900, 4, 3)))
	}
	for _, codec := range dictCodecs {
		o := Options{Codec: codec, Filters: []shuffle.Spec{shuffle.None}, BlockSize: 300}
		const n = 24_000
		all = append(all, encodeDict(t, o, alike(n, 1)))
	}
	return append(all, encode(t, &Options{Level: Stored}, sample("noise", 300, 1, 1)))
}

// tryChunk decodes b whole, in parts and in parallel. The results must agree, and nothing may
// panic.
func tryChunk(t *testing.T, b []byte) {
	h, err := ParseHeader(b)
	if err != nil {
		return
	}
	if back := h.Append(nil); !bytes.Equal(back[:2], b[:2]) || len(back) != h.Size() {
		t.Fatalf("header % x written back as % x", b[:h.Size()], back)
	}
	if int64(h.NBytes) > fuzzLimits.MaxChunk {
		if _,
			err := NewDecoder(&DecodeOptions{Engine: Engine{Limits: fuzzLimits}}).DecodeItems(make([]byte,
			8), b, 0, 1); err == nil {
			t.Fatal("a chunk beyond the limits was decoded")
		}
		return
	}
	whole := make([]byte, h.NBytes)
	_, err = NewDecoder(&DecodeOptions{Engine: Engine{Limits: fuzzLimits}}).Decode(whole, b)
	again := make([]byte, h.NBytes)
	d := NewDecoder(&DecodeOptions{Engine: Engine{Limits: fuzzLimits}, Workers: 3})
	if _, err2 := d.Decode(again, b); (err == nil) != (err2 == nil) || err == nil && !bytes.Equal(whole, again) {
		t.Fatalf("one worker: %v, three: %v", err, err2)
	}
	l, errLayout := NewDecoder(nil).Layout(b)
	if errLayout != nil && err == nil {
		t.Fatalf("decoded, but it has no layout: %v", errLayout)
	}
	sink := collector{layout: l, got: make([]byte, h.NBytes), seen: make([]int, l.NumBlocks)}
	if errLayout != nil {
		return
	}
	if int64(h.CBytes) > int64(len(b)) {
		return // DecodeBlocksAt requires that they exist
	}
	if errAt := d.DecodeBlocksAt(h, bytes.NewReader(b), 0, nil, &sink); errAt == nil && (err != nil || !bytes.Equal(sink.got, whole)) {
		t.Fatalf("read by blocks without an error, read whole: %v", err)
	}
	items := int(h.NBytes) / int(h.TypeSize)
	if err != nil || items == 0 {
		return
	}
	from, to := items/3, items/3+(items-items/3)/2
	part := make([]byte, (to-from)*int(h.TypeSize))
	if _, err := d.DecodeItems(part, b, from, to); err != nil {
		t.Fatalf("items %d to %d: %v", from, to, err)
	}
	if !bytes.Equal(part, whole[from*int(h.TypeSize):to*int(h.TypeSize)]) {
		t.Fatalf("items %d to %d differ from the whole", from, to)
	}
}

func FuzzDecode(f *testing.F) {
	for _, s := range seeds(f) {
		f.Add(s)
	}
	f.Fuzz(tryChunk)
}

func FuzzParseHeader(f *testing.F) {
	for _, s := range seeds(f) {
		f.Add(s[:min(len(s), HeaderSize)])
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		h, err := ParseHeader(b)
		if err != nil {
			return
		}
		if l := h.Layout(); h.NBytes > 0 && !h.VLBlocks() && (l.BlockSize < 1 || int64(l.BlockSize)*int64(l.NumBlocks) < int64(h.NBytes)) {
			t.Fatalf("layout %+v of %+v", l, h)
		}
	})
}

// TestHostileChunks modifies every kind of chunk: truncated, with flipped bits, and with extreme
// numbers in the header and in the offset table.
func TestHostileChunks(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 6))
	extremes := []uint32{0, 1, 15, 16, 31, 32, 33, 255, 256, 0x7fff, 0xffff, 1 << 20, 1<<31 - 1, 1 << 31, 1<<31 + 1, 1<<32 - 256, 1<<32 - 1}
	for _, seed := range seeds(t) {
		for range rounds(400) {
			b := bytes.Clone(seed)
			switch r.IntN(3) {
			case 0:
				b = b[:r.IntN(len(b)+1)]
			case 1:
				for range 1 + r.IntN(3) {
					b[r.IntN(len(b))] ^= 1 << r.IntN(8)
				}
			case 2:
				at := 4 * r.IntN(min(len(b), 80)/4)
				v := extremes[r.IntN(len(extremes))]
				b[at], b[at+1], b[at+2], b[at+3] = byte(v), byte(v>>8), byte(v>>16), byte(v>>24)
			}
			tryChunk(t, b)
		}
	}
}

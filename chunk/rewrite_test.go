package chunk

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/shuffle"
)

// rewriteOf returns the parts of Rewrite as one chunk. They must not lie in other memory than that
// of the old chunk and of the pieces, which were used before.
func rewriteOf(t *testing.T, e *Encoder, old []byte, changed []bool, src BlockSource) ([]byte, bool, error) {
	t.Helper()
	before := bytes.Clone(old)
	p := &Pieces{Parts: [][]byte{old}, Buf: bytes.Repeat([]byte{0xaa}, 1000)}
	ok, err := e.Rewrite(p, old, changed, src)
	if !bytes.Equal(old, before) {
		t.Error("the old chunk was changed")
	}
	if ok != (len(p.Parts) > 0) {
		t.Errorf("%v with %d parts", ok, len(p.Parts))
	}
	for _, part := range p.Parts {
		if !within(part, old) && !within(part, p.Buf) {
			t.Error("a part is in other memory")
		}
	}
	return bytes.Join(p.Parts, nil), ok, err
}

// within reports whether a part is not empty and lies in the memory of whole.
func within(part, whole []byte) bool {
	if len(part) == 0 || len(whole) == 0 {
		return false
	}
	at := reflect.ValueOf(&part[0]).Pointer()
	from := reflect.ValueOf(&whole[0]).Pointer()
	return at >= from && at+uintptr(len(part)) <= from+uintptr(len(whole))
}

// TestRewriteEqualsEncoding changes random blocks of chunks. The result must be identical to
// encoding the changed data.
func TestRewriteEqualsEncoding(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	for _, row := range plainCodecs() {
		if row.NewEncoder == nil || codecs.ByID(row.ID, 0) == codecs.Snappy {
			continue
		}
		for _, name := range []string{"default", "none", "bit"} {
			for _, typeSize := range []int{1, 4, 8, 12} {
				for _, workers := range []int{1, 3} {
					o := &Options{TypeSize: typeSize, Codec: codecs.ByID(row.ID, 0),
						Filters: pipelines[name], BlockSize: 3072, Workers: workers}
					t.Run(fmt.Sprintf("%s %s %d %d", row.Name, name, typeSize, workers), func(t *testing.T) { checkRewrite(t, r, o) })
				}
			}
		}
	}
}

func checkRewrite(t *testing.T, r *rand.Rand, o *Options) {
	e, err := NewEncoder(o)
	if err != nil {
		t.Fatal(err)
	}
	before := whole("ramp", 40_000, o.TypeSize)
	for _, old := range [][]byte{before, make([]byte, len(before)), bytes.Repeat([]byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, len(before)/12+1)[:len(before)]} {
		stored, err := e.Append(nil, old)
		if err != nil {
			t.Fatal(err)
		}
		if h, err := ParseHeader(stored); err != nil || h.Memcpyed() {
			continue // tested by TestRewriteRefuses
		}
		l := e.Layout(len(old))
		for range rounds(6) {
			now, changed := slices.Clone(old), make([]bool, l.NumBlocks)
			for i := range changed {
				if changed[i] = r.IntN(3) == 0; changed[i] {
					from, to := l.Block(i)
					copy(now[from:to], whole("patches", to-from, 1))
				}
			}
			got, ok, err := rewriteOf(t, e, stored, changed, &wholeSource{now, l.BlockSize})
			if err != nil || !ok {
				t.Fatalf("rewrite: %v, %v", ok, err)
			}
			o := *o
			o.NoSpecial = true // otherwise a chunk that stays constant stays special
			want := encode(t, &o, now)
			if !bytes.Equal(got, want) {
				t.Fatalf("changing %v of a chunk of %d bytes gives %d bytes, encoding it gives %d", changed, len(stored), len(got), len(want))
			}
		}
	}
}

// TestRewriteRefuses tests chunks whose blocks cannot be replaced individually.
func TestRewriteRefuses(t *testing.T) {
	src := whole("ramp", 40_000, 4)
	base := Options{TypeSize: 4, BlockSize: 4096}
	variant := func(change func(*Options)) Options {
		o := base
		change(&o)
		return o
	}
	two := &codecs.Registry{}
	for i, name := range []string{"first", "second"} {
		row, err := two.Lookup(codecs.LZ4.ID())
		row.ID, row.Name = uint8(200+i), name
		if err := errors.Join(err, two.Add(row)); err != nil {
			t.Fatal(err)
		}
	}
	own := func(c codecs.Codec) Options {
		return variant(func(o *Options) { o.Codec, o.Codecs, o.Split = c, two, SplitNever })
	}
	for name, c := range map[string]struct{ old, now Options }{
		"another codec of the caller's":     {own(200), own(201)},
		"another parameter of the caller's": {own(codecs.ByID(200, 1)), own(200)},
		"another codec":                     {variant(func(o *Options) { o.Codec = codecs.LZ4 }), base},
		"another filter":                    {variant(func(o *Options) { o.Filters = pipelines["bit"] }), base},
		"another block size":                {variant(func(o *Options) { o.BlockSize = 8192 }), base},
		"another typesize":                  {variant(func(o *Options) { o.TypeSize = 8 }), base},
		"not split":                         {variant(func(o *Options) { o.Split = SplitNever }), base},
		"stored":                            {variant(func(o *Options) { o.Level = Stored }), base},
		"to be stored":                      {base, variant(func(o *Options) { o.Level = Stored })},
		"delta": {variant(func(o *Options) { o.Filters = []shuffle.Spec{{ID: shuffle.IDDelta}} }),
			variant(func(o *Options) { o.Filters = []shuffle.Spec{{ID: shuffle.IDDelta}} })},
	} {
		e, err := NewEncoder(&c.now)
		if err != nil {
			t.Fatal(err)
		}
		old, changed := encode(t, &c.old, src), make([]bool, 10)
		changed[3] = true
		got, ok, err := rewriteOf(t, e, old, changed, &wholeSource{src, 4096})
		if ok || err != nil || len(got) > 0 {
			t.Errorf("%s: %v, %v, %d bytes", name, ok, err, len(got))
		}
	}
}

// TestRewriteOfDamage calls Rewrite with damaged headers and tables. It may fail or refuse, but
// must not read beyond the chunk.
func TestRewriteOfDamage(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 8))
	o := Options{TypeSize: 4, BlockSize: 4096}
	src := whole("ramp", 40_000, 4)
	old, changed := encode(t, &o, src), make([]bool, 10)
	changed[3] = true
	e, err := NewEncoder(&o)
	if err != nil {
		t.Fatal(err)
	}
	rewritten := 0
	for range 20_000 {
		bad := slices.Clone(old[:len(old)-r.IntN(3)])
		for range 1 + r.IntN(3) {
			bad[r.IntN(HeaderSize+40)] = byte(r.Uint32())
		}
		out, ok, err := rewriteOf(t, e, bad, changed, &wholeSource{src, 4096})
		if err == nil && ok {
			rewritten++
			if _, err := ParseHeader(out); err != nil {
				t.Fatalf("%x gives a chunk that cannot be read: %v", bad[:HeaderSize+40], err)
			}
		}
	}
	if rewritten == 0 {
		t.Error("nothing was rewritten; damage in the table should not always be noticed")
	}
}

// TestRewriteOfNoise replaces a block of a barely compressible chunk by noise, so that the result
// would be larger than the data.
func TestRewriteOfNoise(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 9))
	src := make([]byte, 40_960)
	for i := range src {
		src[i] = byte(r.Uint32())
	}
	clear(src[:100])
	o := Options{TypeSize: 1, BlockSize: 4096, Filters: pipelines["none"]}
	old, changed := encode(t, &o, src), make([]bool, 10)
	h, err := ParseHeader(old)
	if err != nil || h.Memcpyed() {
		t.Fatalf("the sample does not compress: %v", err)
	}
	for i := range 100 {
		src[i] = byte(r.Uint32())
	}
	changed[0] = true
	e, err := NewEncoder(&o)
	if err != nil {
		t.Fatal(err)
	}
	if out, ok, err := rewriteOf(t, e, old, changed, &wholeSource{src, 4096}); ok || err != nil {
		t.Errorf("%v, %v: %d bytes of noise became %d", ok, err, len(src), len(out))
	}
}

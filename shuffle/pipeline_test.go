package shuffle_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/filterchain"
	"github.com/cairn-go/cairn/internal/test/filtertest"
	"github.com/cairn-go/cairn/shuffle"
)

var lossless = []shuffle.Pipeline{
	{},
	{5: shuffle.Byte},
	{5: shuffle.Bit},
	{5: shuffle.Delta},
	{0: shuffle.Delta, 5: shuffle.Byte},
	{shuffle.Byte, shuffle.Delta},
	{shuffle.Byte, shuffle.Bit, shuffle.Delta},
	{shuffle.Byte, shuffle.Bit, shuffle.Delta, shuffle.Byte, shuffle.Bit, shuffle.Delta},
	{5: {ID: shuffle.IDByte, Meta: 3}}, // planes that are not the streams
}

func mustChain(t testing.TB, p shuffle.Pipeline) *filterchain.Chain {
	t.Helper()
	c := new(filterchain.Chain)
	if err := c.Set(p, nil); err != nil {
		t.Fatal(err)
	}
	return c
}

// throughStreams encodes src, copies each stream separately, as a codec would, and decodes. It uses
// a scratch for encoding and another for decoding.
func throughStreams(t testing.TB, c *filterchain.Chain, src []byte, rows int, ctx *shuffle.Context) []byte {
	t.Helper()
	var enc, dec filterchain.Scratch
	kept := bytes.Clone(src)
	out, pitch, err := c.Forward(&enc, src, rows, ctx)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(src, kept) {
		t.Fatal("Forward writes its source")
	}
	length := len(src) / rows
	dst := bytes.Repeat([]byte{0xee}, len(src))
	in, inPitch := c.Input(&dec, dst, rows)
	for k := range rows {
		copy(in[k*inPitch:][:length], out[k*pitch:][:length])
	}
	if err := c.Backward(dst, &dec, in, inPitch, rows, ctx); err != nil {
		t.Fatal(err)
	}
	return dst
}

func TestChainRoundTrip(t *testing.T) {
	for _, p := range lossless {
		c := mustChain(t, p)
		for _, size := range []int{0, 7, 8, 64, 4096, 4096 + 24, 4096 + 3} {
			src := filtertest.Bytes(size, 1)
			for _, ref := range [][]byte{nil, filtertest.Bytes(size, 2)} {
				for _, rows := range []int{1, 8, 5} {
					if size%rows != 0 {
						continue
					}
					ctx := &shuffle.Context{TypeSize: 8, Ref: ref}
					if got := throughStreams(t, c, src, rows, ctx); !bytes.Equal(got, src) {
						t.Errorf("%v, %d bytes, %d streams, reference %v: does not round-trip", p, size, rows, ref != nil)
					}
				}
			}
		}
	}
}

// TestChainStreams checks that the streams are the parts of the filtered block, with padding
// between the planes of shuffle.
func TestChainStreams(t *testing.T) {
	src := filtertest.Bytes(8*1024, 1)
	ctx := &shuffle.Context{TypeSize: 8}
	for _, spec := range []shuffle.Spec{shuffle.Byte, shuffle.Bit, shuffle.Delta} {
		want := filtertest.ReferenceOf(spec.ID)(src, 0, ctx)
		var s filterchain.Scratch
		out, pitch, err := mustChain(t, shuffle.Pipeline{spec}).Forward(&s, src, 8, ctx)
		if err != nil {
			t.Fatal(err)
		}
		wantPitch := 1024 + 64
		if spec == shuffle.Delta {
			wantPitch = 1024
		}
		if pitch != wantPitch {
			t.Errorf("%v: pitch is %d, want %d", spec, pitch, wantPitch)
		}
		for k := range 8 {
			if !bytes.Equal(out[k*pitch:][:1024], want[k*1024:][:1024]) {
				t.Errorf("%v: stream %d is not part %d of the filtered block", spec, k, k)
			}
		}
	}
}

// TestChainShortStreams tests blocks whose size the number of streams does not divide: the
// remaining bytes are not stored and decode as if they were zeros.
func TestChainShortStreams(t *testing.T) {
	src := filtertest.Bytes(4*25+3, 1)
	ctx := &shuffle.Context{TypeSize: 4}
	want := bytes.Clone(src)
	clear(want[100:])
	for _, p := range []shuffle.Pipeline{{}, {shuffle.Byte}, {shuffle.TruncPrec(23)}} {
		if got := throughStreams(t, mustChain(t, p), src, 4, ctx); !bytes.Equal(got, want) {
			t.Errorf("%v: decodes to % x", p, got)
		}
	}
}

// TestChainForeignInput decodes directly from the caller's memory, as for an uncompressed block.
func TestChainForeignInput(t *testing.T) {
	src := filtertest.Bytes(999, 1)
	ctx := &shuffle.Context{TypeSize: 8}
	for _, p := range append(lossless, shuffle.Pipeline{shuffle.TruncPrec(52)}) {
		c := mustChain(t, p)
		var enc, dec filterchain.Scratch
		filtered, pitch, err := c.Forward(&enc, src, 1, ctx)
		if err != nil {
			t.Fatal(err)
		}
		kept, dst := bytes.Clone(filtered), make([]byte, len(src))
		if err := c.Backward(dst, &dec, filtered, pitch, 1, ctx); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(dst, src) {
			t.Errorf("%v: does not round-trip", p)
		}
		if !bytes.Equal(filtered, kept) {
			t.Errorf("%v: Backward writes its input", p)
		}
	}
}

// TestChainReference checks that blocks decode exactly to the output of the lossy filter although
// delta follows it.
func TestChainReference(t *testing.T) {
	block0, block1 := filtertest.Bytes(800, 1), filtertest.Bytes(800, 2)
	trunc := shuffle.TruncPrec(9)
	for _, p := range []shuffle.Pipeline{{trunc, shuffle.Delta}, {trunc, shuffle.Delta, shuffle.Byte}, {trunc}, {shuffle.Delta}} {
		c := mustChain(t, p)
		ctx := &shuffle.Context{TypeSize: 8}
		var s filterchain.Scratch
		ref, err := c.Reference(&s, block0, ctx)
		if err != nil {
			t.Fatal(err)
		}
		want0, want1 := block0, block1
		if p[0] == trunc {
			truncate := filtertest.ReferenceOf(shuffle.IDTruncPrec)
			want0, want1 = truncate(block0, trunc.Meta, ctx), truncate(block1, trunc.Meta, ctx)
		}
		if got := throughStreams(t, c, block0, 1, ctx); !bytes.Equal(got, want0) || !bytes.Equal(got, ref) {
			t.Errorf("%v: block 0 does not decode to the truncated block and the reference", p)
		}
		if got := throughStreams(t, c, block1, 1, &shuffle.Context{TypeSize: 8, Ref: ref}); !bytes.Equal(got, want1) {
			t.Errorf("%v: block 1 does not decode to the truncated block", p)
		}
	}
	plain := mustChain(t, shuffle.Pipeline{shuffle.Byte, shuffle.Delta})
	ref, _ := plain.Reference(new(filterchain.Scratch), block0, &shuffle.Context{TypeSize: 8})
	if &ref[0] != &block0[0] {
		t.Error("lossless chain: the reference is a copy, want the block itself")
	}
}

func TestChainQueries(t *testing.T) {
	c := mustChain(t, shuffle.Pipeline{2: shuffle.Delta, 5: shuffle.Byte})
	if !c.Has(shuffle.IDDelta) || !c.Has(shuffle.IDByte) || c.Has(shuffle.IDBit) || c.Has(shuffle.IDNone) {
		t.Error("a chain of delta and shuffle does not know its filters")
	}
	if err := c.Set(shuffle.Pipeline{shuffle.None}, nil); err != nil || c.Has(shuffle.IDDelta) {
		t.Errorf("a chain that is set again keeps its filters, or fails: %v", err)
	}
}

func TestChainUnsupported(t *testing.T) {
	var c filterchain.Chain
	for id, name := range map[shuffle.ID]string{
		5: "", 31: "", 37: "", 159: "", 160: "", 255: "",
	} {
		err := c.Set(shuffle.Pipeline{shuffle.Byte, {ID: id}}, new(shuffle.Registry))
		if !errors.Is(err, cairn.ErrUnsupported) || !strings.Contains(err.Error(), fmt.Sprintf("filter %d", id)) || !strings.Contains(err.Error(), name) {
			t.Errorf("filter %d (%s): error is %v", id, name, err)
		}
		if c.Has(shuffle.IDByte) {
			t.Errorf("filter %d: the chain holds filters after an error", id)
		}
	}
}

func TestChainRefuses(t *testing.T) {
	src := filtertest.Bytes(64, 1)
	for _, test := range []struct {
		name string
		spec shuffle.Spec
		ctx  shuffle.Context
		want string
	}{
		{"no type size", shuffle.Byte, shuffle.Context{}, "type size"},
		{"trunc_prec of 2-byte items", shuffle.TruncPrec(10), shuffle.Context{TypeSize: 2}, "4 or 8 bytes"},
		{"trunc_prec to 24 bits", shuffle.TruncPrec(24), shuffle.Context{TypeSize: 4}, "parameter 24"},
		{"trunc_prec to no bits", shuffle.TruncPrec(0), shuffle.Context{TypeSize: 8}, "parameter 0"},
		{"int_trunc of 3-byte items", shuffle.IntTrunc(10), shuffle.Context{TypeSize: 3}, "1, 2, 4 or 8 bytes"},
		{"int_trunc to 9 of 8 bits", shuffle.IntTrunc(9), shuffle.Context{TypeSize: 1}, "parameter 9"},
		{"int_trunc to no bits", shuffle.IntTrunc(0), shuffle.Context{TypeSize: 8}, "parameter 0"},
		{"int_trunc by all bits", shuffle.IntTrunc(-16), shuffle.Context{TypeSize: 2}, "parameter -16"},
		{"trunc_prec by all bits", shuffle.TruncPrec(-52), shuffle.Context{TypeSize: 8}, "parameter -52"},
	} {
		c := mustChain(t, shuffle.Pipeline{test.spec})
		if err := c.Validate(&test.ctx); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: Validate gives %v", test.name, err)
		}
		_, _, err := c.Forward(new(filterchain.Scratch), src, 1, &test.ctx)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: Forward gives %v", test.name, err)
		}
	}
	short := &shuffle.Context{TypeSize: 8, Ref: src[:40]}
	c := mustChain(t, shuffle.Pipeline{shuffle.Delta})
	err := c.Backward(make([]byte, 64), new(filterchain.Scratch), src, 64, 1, short)
	if !errors.Is(err, cairn.ErrCorrupt) {
		t.Errorf("delta with a short block 0: %v, want ErrCorrupt", err)
	}
}

// TestByteDeltaOfHugeItems runs bytedelta on a small block with an item size of up to 2 GiB, as in
// a damaged file. bytedelta takes the item size for the number of planes.
func TestByteDeltaOfHugeItems(t *testing.T) {
	src := filtertest.Bytes(400, 1)
	for _, id := range []shuffle.ID{shuffle.IDByteDelta, shuffle.IDByteDeltaBuggy} {
		c := mustChain(t, shuffle.Pipeline{{ID: id}})
		for _, size := range []int{401, math.MaxInt32} {
			ctx := &shuffle.Context{TypeSize: 1, FrameTypeSize: size}
			begin, got := time.Now(), make([]byte, len(src))
			err := c.Backward(got, new(filterchain.Scratch), src, len(src), 1, ctx)
			if err != nil || !bytes.Equal(got, src) {
				t.Errorf("filter %d, items of %d bytes: %v, or other bytes", id, size, err)
			}
			if took := time.Since(begin); took > 20*time.Second { // it is microseconds, or minutes
				t.Errorf("filter %d, items of %d bytes: %v", id, size, took)
			}
		}
	}
}

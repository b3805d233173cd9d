package ndarray

import (
	"errors"
	"strings"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/shuffle"
)

// TestCreationAcceptsOnlyWritableArrays creates arrays with every codec and filter, parameters
// around their limits, and dtypes of all kinds. Options with which no write could succeed must be
// rejected at creation.
func TestCreationAcceptsOnlyWritableArrays(t *testing.T) {
	parameters := []uint8{0, 1, 2, 4, 8, 9, 23, 24, 64, 100, 101, 127, 128, 246, 255}
	accepted, refused := 0, 0
	try := func(dtype string, shape Shape, o Options) {
		t.Helper()
		u, err := NewUntyped(dtype, shape, &o)
		if err != nil {
			refused++
			return
		}
		accepted++
		defer u.Abort()
		data := make([]byte, u.Len()*int64(u.TypeSize()))
		for i := range data {
			data[i] = byte(i*i>>3) & 0x3f
		}
		if err := u.Write(t.Context(), data); err != nil {
			t.Errorf("%s %v, codec %v, filters %v: write: %v", dtype, shape, o.Codec, o.Filters, err)
		} else if _, err := u.Read(t.Context()); err != nil {
			t.Errorf("%s %v, codec %v, filters %v: read: %v", dtype, shape, o.Codec, o.Filters, err)
		}
	}
	dtypes := []string{"|u1", "<i2", "<i4", "<f2", "<f4", "<f8", ">f4", "<c8", "<c16", "|S3", "|V300", "<M8[s]"}
	for _, dtype := range dtypes {
		for _, shape := range []Shape{{}, {40}, {6, 7}, {3, 4, 3, 4}, {3, 2, 3, 2, 3}} {
			for _, row := range codecs.Rows() {
				for _, p := range parameters {
					try(dtype, shape, Options{Codec: codecs.ByID(row.ID, p)})
				}
				try(dtype, shape, Options{Codec: codecs.ByID(row.ID, 0), Dict: true})
			}
			for _, row := range shuffle.Rows() {
				for _, p := range parameters {
					try(dtype, shape, Options{Filters: []shuffle.Spec{{ID: row.ID, Meta: p}, shuffle.Byte}})
				}
			}
		}
	}
	if accepted < 2000 || refused < 2000 {
		t.Errorf("%d accepted, %d refused", accepted, refused)
	}
}

func TestCreationRefusesArraysThatCannotBeWritten(t *testing.T) {
	trunc := []shuffle.Spec{shuffle.TruncPrec(10)}
	gib := Shape{1<<30 + 1}
	for _, c := range []struct {
		dtype string
		o     Options
		is    error
		says  string
	}{
		{"<i4", Options{Filters: trunc}, cairn.ErrType, "takes little-endian floats"},
		{"<c8", Options{Filters: trunc}, cairn.ErrType, "takes little-endian floats"},
		{"<f2", Options{Filters: trunc}, nil, "items must have 4 or 8 bytes"},
		{"<f4", Options{Filters: []shuffle.Spec{shuffle.TruncPrec(24)}}, nil, "parameter 24"},
		{"<c16", Options{Filters: []shuffle.Spec{shuffle.IntTrunc(9)}}, cairn.ErrType, "takes little-endian integers"},
		{"|u1", Options{ChunkShape: gib, BlockShape: Shape{1 << 20}}, cairn.ErrLimit, "Limits.MaxAlloc is 1073741824"},
		{
			"|u1", Options{ChunkShape: Shape{4096}, Engine: chunk.Engine{Limits: cairn.Limits{MaxChunk: 4095}}},
			cairn.ErrLimit, "Limits.MaxChunk is 4095",
		},
	} {
		u, err := NewUntyped(c.dtype, Shape{1 << 31}, &c.o)
		if err == nil {
			u.Abort()
			t.Errorf("%s, %+v: accepted", c.dtype, c.o)
			continue
		}
		if c.is != nil && !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %q", c.dtype, err, c.says)
		}
	}
	o := &Options{ChunkShape: gib, BlockShape: Shape{1 << 20},
		Engine: chunk.Engine{Limits: cairn.Limits{MaxAlloc: 1 << 31}}}
	u, err := NewUntyped("|u1", Shape{1 << 31}, o)
	if err != nil {
		t.Fatalf("with a higher limit: %v", err)
	}
	u.Abort()
}

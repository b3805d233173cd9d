package formats

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/hdf5/filter"
	"github.com/cairn-go/cairn/ndarray"
)

func TestFiltersHaveRegisteredNumbers(t *testing.T) {
	for _, c := range []struct {
		codec string
		level int
		list  string
		want  string // for items of 4 bytes in chunks of 4,096
	}{
		{"", -1, "", "shuffle(4) deflate(4)"}, {"zlib", 9, "none", "deflate(9)"}, {"", 0, "", ""},
		{"none", -1, "", ""}, {"none", -1, "shuffle,fletcher32", "shuffle(4) fletcher32"},
		{"zstd", -1, "", "shuffle(4) zstd(3)"}, {"zstd", 22, "bitshuffle", "bitshuffle(0 4 4 0 3 22)"},
		{"lz4", -1, "fletcher32", "lz4(0) fletcher32"}, {"LZ4", -1, "bitshuffle", "bitshuffle(0 4 4 0 2)"},
		{"zlib", 1, "bitshuffle", "bitshuffle(0 4 4 0 0) deflate(1)"},
		{"lzf", -1, "", "shuffle(4) lzf(4 261 4096)"},
		{"blosc:lz4", 9, "bitshuffle", "blosc(2 2 4 4096 9 2 1)"},
		{"blosc2", -1, "none,fletcher32", "blosc2(2 2 4 4096 5 0 5) fletcher32"},
	} {
		f, err := ParseFilters(c.codec, c.level, c.list)
		if err != nil {
			t.Errorf("%q %d %q: %v", c.codec, c.level, c.list, err)
			continue
		}
		list, err := f.of(4, 4096)
		got := strings.Trim(fmt.Sprint(list), "[]")
		if err != nil || got != c.want {
			t.Errorf("%q %d %q: %s, %v, want %s", c.codec, c.level, c.list, got, err, c.want)
		}

		items := bytes.Repeat([]byte{1, 2, 3, 4}, 1024)
		stored, mask, err := filter.Encode(nil, items, list)
		if err != nil {
			t.Fatal(err)
		}
		decoded := make([]byte, len(items))
		if err := filter.Decode(decoded, stored, list, mask); err != nil || !bytes.Equal(decoded, items) {
			t.Errorf("%s: other items, %v", got, err)
		}
	}
}

func TestFiltersThatThereAreNot(t *testing.T) {
	for _, c := range []struct {
		codec string
		level int
		list  string
	}{
		{"gzip", -1, ""}, {"lz4", 3, ""}, {"zstd", 23, ""}, {"zlib", 10, ""}, {"blosc", 10, ""}, {"zstd", 0, ""},
		{"", -1, "fletcher32,shuffle"}, {"", -1, "shuffle,bitshuffle"}, {"", -1, "delta"}, {"", -1, "shuffle,"},
	} {
		if f, err := ParseFilters(c.codec, c.level, c.list); err == nil {
			t.Errorf("%q %d %q: %+v", c.codec, c.level, c.list, f)
		}
	}
}

// TestOptionsOfBlosc2ChooseFilters gives the options that all formats have.
func TestOptionsOfBlosc2ChooseFilters(t *testing.T) {
	for want, o := range map[string]ndarray.CopyOptions{
		"shuffle(4) deflate(4)":   {},
		"shuffle(4) deflate(7)":   {Level: 7},
		"":                        {Level: chunk.Stored},
		"shuffle(4) zstd(3)":      {Codec: codecs.Zstd},
		"blosc(2 2 4 4096 2 1 0)": {Codec: codecs.BloscLZ, Level: 2},
	} {
		f, err := (&Options{CopyOptions: o}).stored()
		if err != nil {
			t.Fatal(err)
		}
		list, err := f.of(4, 4096)
		if got := strings.Trim(fmt.Sprint(list), "[]"); err != nil || got != want {
			t.Errorf("%s, %v, want %s", got, err, want)
		}
	}
}

func TestPlainArraysStayPlain(t *testing.T) {
	src, err := ndarray.FromSlice(make([]float32, 1<<16), ndarray.Shape{256, 256}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		o        Options
		grows    bool
		chunks   bool
		filtered bool
	}{
		{o: Options{}, chunks: true, filtered: true},
		{o: Options{Plain: true}},
		{o: Options{Plain: true}, grows: true, chunks: true},
		{o: Options{Plain: true, CopyOptions: ndarray.CopyOptions{Level: 1}}, chunks: true, filtered: true},
		{o: Options{Plain: true, CopyOptions: ndarray.CopyOptions{Codec: codecs.Zstd}}, chunks: true, filtered: true},
	} {
		labels := ndarray.Labels{Dims: []string{"y", "x"}}
		if c.grows {
			labels.MaxShape = ndarray.Shape{-1, 256}
		}
		w := &Writing{Options: c.o}
		d, err := w.chunksOf(t.Context(), src, "/t", labels, netcdfKeeps)
		if err != nil {
			t.Fatal(err)
		}
		if (d.Chunks != nil) != c.chunks || (d.Filters != nil) != c.filtered {
			t.Errorf("%+v: chunks %v, filters %v", c, d.Chunks, d.Filters)
		}
	}
}

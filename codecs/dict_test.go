package codecs_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/internal/test/golden"
)

// dictBlock is the decoded length of every stream in the unsplit golden chunks with a dictionary.
const dictBlock = 2400

// dictStreams splits a golden chunk with a dictionary: header, block offsets, dictionary, then a
// length and a stream per block (format: chunk layout).
func dictStreams(t *testing.T, name string) (dict []byte, streams [][]byte) {
	t.Helper()
	m, err := golden.Load()
	if err != nil {
		t.Fatal(err)
	}
	c, err := m.Find(name)
	if err != nil {
		t.Fatal(err)
	}
	b, err := c.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	at := func(i int) int { return int(binary.LittleEndian.Uint32(b[i:])) }
	const header = 32
	if at(8) != dictBlock {
		t.Fatalf("%s has blocks of %d bytes", name, at(8))
	}
	count := at(4) / dictBlock
	dictAt := header + 4*count
	dict = b[dictAt+4:][:at(dictAt)]
	for i := range count {
		start := at(header + 4*i)
		if n := at(start); n < dictBlock {
			streams = append(streams, b[start+4:][:n])
		}
	}
	return dict, streams
}

// TestDictionary decodes streams that C-Blosc2 encoded with a dictionary, and checks that they need
// it.
func TestDictionary(t *testing.T) {
	for name, codec := range map[string]codecs.Codec{
		"dict-lz4-2.chunk": codecs.LZ4, "dict-lz4hc-2.chunk": codecs.LZ4HC, "dict-zstd-2.chunk": codecs.Zstd,
	} {
		row, err := (*codecs.Registry)(nil).Lookup(codec.ID())
		if err != nil {
			t.Fatal(err)
		}
		dict, streams := dictStreams(t, name)
		with, err := row.NewDecoder(codecs.Params{TypeSize: 4, Dict: dict})
		if err != nil {
			t.Fatal(err)
		}
		without, err := row.NewDecoder(codecs.Params{TypeSize: 4})
		if err != nil {
			t.Fatal(err)
		}
		needed := 0
		for i, stream := range streams {
			got, other := make([]byte, dictBlock), make([]byte, dictBlock)
			if err := with.Decode(got, stream); err != nil {
				t.Errorf("%s: stream %d: %v", name, i, err)
			}
			if err := without.Decode(other, stream); err != nil || !bytes.Equal(got, other) {
				needed++
			}
		}
		if needed < len(streams)/2 || needed == 0 {
			t.Errorf("%s: %d of %d streams need the dictionary", name, needed, len(streams))
		}
	}
}

// TestDictionaryEncoding encodes the content of the golden chunk again, with its dictionary.
func TestDictionaryEncoding(t *testing.T) {
	dict, streams := dictStreams(t, "dict-zstd-2.chunk")
	row := plainCodecs()[codecs.Zstd.ID()]
	p := codecs.Params{Level: 5, TypeSize: 4, Dict: dict}
	enc, err := row.NewEncoder(p)
	if err != nil {
		t.Fatal(err)
	}
	dec, err := row.NewDecoder(p)
	if err != nil {
		t.Fatal(err)
	}
	src, dst, back := make([]byte, dictBlock), make([]byte, dictBlock), make([]byte, dictBlock)
	ours, theirs := 0, 0
	for i, stream := range streams {
		if err := dec.Decode(src, stream); err != nil {
			t.Fatal(err)
		}
		n, err := enc.Encode(dst, src)
		if err != nil {
			t.Fatal(err)
		}
		if err := dec.Decode(back, dst[:n]); err != nil || !bytes.Equal(back, src) {
			t.Errorf("block %d does not come back from %d bytes: %v", i, n, err)
		}
		ours += n
		theirs += len(stream)
	}
	if ours > theirs*11/10 {
		t.Errorf("%d bytes, C-Blosc2 needs %d", ours, theirs)
	}
	if got := testing.AllocsPerRun(5, func() { mustEncode(t, enc, dst, src) }); got != 0 {
		t.Errorf("encoding with a dictionary allocates %v times", got)
	}
}

func mustEncode(t testing.TB, enc codecs.Encoder, dst, src []byte) int {
	t.Helper()
	n, err := enc.Encode(dst, src)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestBadDictionary(t *testing.T) {
	row := plainCodecs()[codecs.Zstd.ID()]
	p := codecs.Params{Level: 5, TypeSize: 4, Dict: []byte("\x37\xa4\x30\xec, and no dictionary behind it")}
	if _, err := row.NewDecoder(p); !errors.Is(err, cairn.ErrCorrupt) {
		t.Errorf("decoder: %v", err)
	}
	if _, err := row.NewEncoder(p); err == nil {
		t.Error("the encoder accepts it")
	}
}

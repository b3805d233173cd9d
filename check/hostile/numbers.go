package main

import (
	"bytes"
	"path/filepath"
	"strings"

	"github.com/cairn-go/cairn/internal/pcodec"
)

// pcodecSeeds returns the goldens of package pcodec, in both forms. dir is that of the other
// goldens.
func pcodecSeeds(dir string) ([]*seedFile, error) {
	return seedsLike(filepath.Join(dir, "../../internal/pcodec/testdata/*-*-*"), as(pcodecs))
}

// examinePcodec finds no parts: all but the first bytes are bits.
func examinePcodec(string, []byte) *anatomy { return &anatomy{} }

// decodePcodec decodes a file in the standalone form into some room, and into more and less.
func decodePcodec(l *tester, s *subject) (uint64, error) {
	b, ok := s.single()
	if !ok || !bytes.HasPrefix(b, []byte("pco!")) {
		return 0, nil
	}
	var d pcodec.Decoder
	var got first
	for _, n := range []int{1400, s.rng.IntN(8192), 8 * s.rng.IntN(1024)} {
		got.take(d.Decode(l.buf[:n], b))
	}
	return scratch, got.err
}

// decodeWrapped decodes a header, metadata of a chunk and pages behind them, as numbers of the type
// that the name of the seed says, or of another.
func decodeWrapped(l *tester, s *subject) (uint64, error) {
	b, ok := s.single()
	if !ok || bytes.HasPrefix(b, []byte("pco!")) {
		return 0, nil
	}
	var d pcodec.WrappedDecoder
	n, err := d.ReadHeader(b)
	if err != nil {
		return scratch, err
	}
	b = b[n:]

	t := pcodec.Type(1 + s.rng.IntN(int(pcodec.Int8)))
	if s.rng.IntN(8) > 0 {
		t = namedType(s.seed.name)
	}
	if n, err = d.ReadMeta(t, b); err != nil {
		return scratch, err
	}

	b = b[n:]
	var got first
	for range 4 {
		n, err := d.ReadPage(l.buf[:t.Size()*s.rng.IntN(700)], b)
		got.take(err)
		b = b[n:]
	}
	return scratch, got.err
}

// namedType returns the type of numbers that the name of a golden begins with.
func namedType(name string) pcodec.Type {
	kind, _, _ := strings.Cut(filepath.Base(name), "-")
	return map[string]pcodec.Type{
		"u1": pcodec.Uint8, "i1": pcodec.Int8, "u2": pcodec.Uint16, "i2": pcodec.Int16,
		"u4": pcodec.Uint32, "i4": pcodec.Int32, "u8": pcodec.Uint64, "i8": pcodec.Int64,
		"f2": pcodec.Float16, "f4": pcodec.Float32, "f8": pcodec.Float64,
	}[kind]
}

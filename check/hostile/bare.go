package main

import (
	"bytes"

	"github.com/cairn-go/cairn/chunk"
)

func decode(l *tester, s *subject) (uint64, error) {
	b, _ := s.single()
	_, err := l.decoder(0).Decode(l.buf, b)
	return scratch, err
}

func decodeItems(l *tester, s *subject) (uint64, error) {
	b, _ := s.single()
	h, err := chunk.ParseHeader(b)
	items := int(h.NBytes) / max(1, int(h.TypeSize))
	if err != nil || items <= 0 {
		return 0, err
	}
	from := s.rng.IntN(items)
	_, err = l.decoder(0).DecodeItems(l.buf, b, from, from+1+s.rng.IntN(min(items-from, 1000)))
	return scratch, err
}

func decodeBlocks(l *tester, s *subject) (uint64, error) {
	b, _ := s.single()
	h, err := chunk.ParseHeader(b)
	if err != nil {
		return 0, err
	}
	return scratch, l.decoder(0).DecodeBlocks(h, b, s.wanted(), &sink{})
}

func decodeBlocksAt(l *tester, s *subject) (uint64, error) {
	b, _ := s.single()
	h, err := chunk.ParseHeader(b)
	if err != nil || int64(h.CBytes) > int64(len(b)) { // callers must pass the whole chunk
		return 0, err
	}
	return scratch, l.decoder(0).DecodeBlocksAt(h, bytes.NewReader(b), 0, s.wanted(), &sink{})
}

func decodeOneBlock(l *tester, s *subject) (uint64, error) {
	b, _ := s.single()
	_, err := l.decoder(0).DecodeBlock(l.buf, b, s.rng.IntN(20))
	return scratch, err
}

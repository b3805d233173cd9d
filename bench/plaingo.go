package main

import (
	"github.com/cairn-go/cairn/bench/result"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
)

// A plainSide is a Go program without Blosc: the codec of a library on whole chunks, without
// filters.
type plainSide struct {
	out    [][]byte
	encode func(dst, src []byte) ([]byte, error)
	decode func(dst, src []byte) error
}

// plainGo returns the plain side for the codec of a job, or false if there is none.
func plainGo(j job, data []byte) (contender, bool, error) {
	s := &plainSide{}
	switch j.codec.String() {
	case "lz4":
		var c lz4.Compressor
		s.encode = func(dst, src []byte) ([]byte, error) {
			dst = dst[:cap(dst)]
			n, err := c.CompressBlock(src, dst)
			return dst[:n], err
		}
		s.decode = func(dst, src []byte) error {
			_, err := lz4.UncompressBlock(src, dst)
			return err
		}
	case "zstd":
		e, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.EncoderLevelFromZstd(2*j.level-1)), zstd.WithEncoderCRC(false))
		if err != nil {
			return contender{}, false, err
		}
		d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1))
		if err != nil {
			return contender{}, false, err
		}
		s.encode = func(dst, src []byte) ([]byte, error) { return e.EncodeAll(src, dst), nil }
		s.decode = func(dst, src []byte) error {
			_, err := d.DecodeAll(src, dst[:0])
			return err
		}
	default:
		return contender{}, false, nil
	}

	for at := 0; at < len(data); at += j.chunkSize {
		s.out = append(s.out, make([]byte, 0, lz4.CompressBlockBound(j.chunkSize)+1024))
	}
	return both(result.Plain, s, data, j), true, nil
}

func (s *plainSide) compress(i int, src []byte) (int64, error) {
	c, err := s.encode(s.out[i][:0], src)
	s.out[i] = c
	return int64(len(c)), err
}

func (s *plainSide) decompress(i int, dst []byte) error { return s.decode(dst, s.out[i]) }

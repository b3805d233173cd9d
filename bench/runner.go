package main

import (
	"bytes"
	"errors"
	"fmt"
	"time"

	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/shuffle"
)

// A side compresses all of its data into memory and decompresses it again.
type side interface {
	compress() (cbytes int64, err error)
	decompress(dst []byte) error
}

// A runner times cairn on one job.
type runner struct {
	data, back []byte
	side       side
}

func newRunner(j job, data []byte) (*runner, error) {
	r := &runner{data: data, back: make([]byte, len(data))}
	for i := range r.back {
		r.back[i] = 1
	}
	if j.layer == "frame" {
		r.side = newFrameSide(j, data)
		return r, nil
	}
	var err error
	r.side, err = newChunkSide(j, data)
	return r, err
}

// run compresses and decompresses reps times and keeps the fastest of each.
func (r *runner) run(reps int) (timing, error) {
	var best timing
	for i := range reps {
		t0 := time.Now()
		n, err := r.side.compress()
		if err != nil {
			return best, err
		}
		t1 := time.Now()
		if err := r.side.decompress(r.back); err != nil {
			return best, err
		}
		t2 := time.Now()
		c, d := t1.Sub(t0).Seconds(), t2.Sub(t1).Seconds()
		if i == 0 || c < best.Compress {
			best.Compress = c
		}
		if i == 0 || d < best.Decompress {
			best.Decompress = d
		}
		best.CBytes = n
	}
	if !bytes.Equal(r.data, r.back) {
		return best, errors.New("the data came back changed")
	}
	return best, nil
}

// half runs one direction once.
func (r *runner) half(direction string) error {
	switch direction {
	case "compress":
		_, err := r.side.compress()
		return err
	case "decompress":
		return r.side.decompress(r.back)
	}
	return fmt.Errorf("unknown direction %q", direction)
}

// chunkSide uses an encoder and a decoder without a container; each chunk has a place of its own.
type chunkSide struct {
	data []byte
	size int
	enc  *chunk.Encoder
	dec  *chunk.Decoder
	out  [][]byte
}

func newChunkSide(j job, data []byte) (*chunkSide, error) {
	enc, err := chunk.NewEncoder(&chunk.Options{TypeSize: j.typeSize, Codec: j.codec, Level: j.optionLevel(), Filters: []shuffle.Spec{j.filter}, Workers: j.threads})
	if err != nil {
		return nil, err
	}
	s := &chunkSide{data: data, size: j.chunkSize, enc: enc, dec: chunk.NewDecoder(&chunk.DecodeOptions{Workers: j.threads})}
	for at := 0; at < len(data); at += s.size {
		s.out = append(s.out, make([]byte, 0, min(s.size, len(data)-at)+chunk.HeaderSize))
	}
	return s, nil
}

func (s *chunkSide) compress() (int64, error) {
	total := int64(0)
	for i := range s.out {
		src := s.data[i*s.size:]
		src = src[:min(s.size, len(src))]
		c, err := s.enc.Append(s.out[i][:0], src)
		if err != nil {
			return 0, err
		}
		s.out[i] = c
		total += int64(len(c))
	}
	return total, nil
}

func (s *chunkSide) decompress(dst []byte) error {
	for i, c := range s.out {
		to := dst[i*s.size:]
		if _, err := s.dec.Decode(to[:min(s.size, len(to))], c); err != nil {
			return err
		}
	}
	return nil
}

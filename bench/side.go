package main

import (
	"bytes"
	"context"
	"time"

	"github.com/cairn-go/cairn/bench/result"
	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/frame"
)

// A side compresses its data to memory and decompresses it.
type side interface {
	compress() (cbytes int64, err error)
	decompress(dst []byte) error
}

// A preparer is a side with untimed work before each repetition.
type preparer interface{ prepare() error }

// both returns a contender for a side. A round returns the times of the fastest repetitions, and
// checks the decompressed data.
func both(peer string, s side, data []byte) contender {
	back := bytes.Repeat([]byte{1}, len(data))
	return contender{peer, func(reps int) (answer, error) {
		var size int64
		times, err := fastest(reps, func() ([]float64, error) {
			if p, ok := s.(preparer); ok {
				if err := p.prepare(); err != nil {
					return nil, err
				}
			}
			var err error
			t0 := time.Now()
			if size, err = s.compress(); err != nil {
				return nil, err
			}
			t1 := time.Now()
			err = s.decompress(back)
			return []float64{t1.Sub(t0).Seconds(), time.Since(t1).Seconds()}, err
		})
		if err == nil && !bytes.Equal(data, back) {
			err = errChanged
		}
		return answer{times, size}, err
	}}
}

// cairnSide returns a contender that does the same with cairn as "frames" or "chunks" of the C
// side.
func cairnSide(workload string, j job, data []byte) (contender, error) {
	if workload == "frames" {
		return both(result.Cairn, &frameSide{data: data, size: j.chunkSize, job: j}, data), nil
	}
	s, err := newChunkSide(j, data)
	if err != nil {
		return contender{}, err
	}
	return both(result.Cairn, s, data), nil
}

// chunkSide uses an encoder and a decoder without a container; each chunk has its own buffer.
type chunkSide struct {
	data []byte
	size int
	enc  *chunk.Encoder
	dec  *chunk.Decoder
	out  [][]byte
}

func newChunkSide(j job, data []byte) (*chunkSide, error) {
	enc, err := chunk.NewEncoder(&chunk.Options{TypeSize: j.typeSize, Codec: j.codec, Level: j.optionLevel(), Filters: j.filters(), Workers: j.threads})
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
		c, err := s.enc.Append(s.out[i][:0], src[:min(s.size, len(src))])
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

// frameSide appends to a frame in memory and reads its chunks.
type frameSide struct {
	data  []byte
	size  int
	job   job
	frame *frame.Frame
}

// prepare creates the frame. The C side also creates its super-chunk outside of the measured time.
func (s *frameSide) prepare() error {
	f, err := frame.New(frameOptions(s.job))
	if err != nil {
		return err
	}
	if s.frame != nil {
		s.frame.Close()
	}
	s.frame = f
	return nil
}

func (s *frameSide) compress() (int64, error) {
	for at := 0; at < len(s.data); at += s.size {
		if _, err := s.frame.Append(context.Background(), s.data[at:min(at+s.size, len(s.data))]); err != nil {
			return 0, err
		}
	}
	return s.frame.CBytes(), nil
}

func (s *frameSide) decompress(dst []byte) error {
	for i, at := 0, 0; at < len(s.data); i, at = i+1, at+s.size {
		if _, err := s.frame.ReadChunk(context.Background(), dst[at:min(at+s.size, len(dst))], i); err != nil {
			return err
		}
	}
	return nil
}

func frameOptions(j job) *frame.Options {
	return &frame.Options{TypeSize: j.typeSize, Codec: j.codec, Level: j.optionLevel(), Filters: j.filters(), ChunkSize: j.chunkSize, Workers: j.threads}
}

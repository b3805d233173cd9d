package main

import (
	"context"

	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/shuffle"
)

// frameSide appends to a frame in memory and reads its chunks.
type frameSide struct {
	data  []byte
	size  int
	job   job
	frame *frame.Frame
}

func newFrameSide(j job, data []byte) *frameSide {
	return &frameSide{data: data, size: j.chunkSize, job: j}
}

func (s *frameSide) compress() (int64, error) {
	o := &frame.Options{ChunkSize: s.size, Workers: s.job.threads}
	o.TypeSize, o.Codec, o.Level, o.Filters = s.job.typeSize, s.job.codec, s.job.optionLevel(), []shuffle.Spec{s.job.filter}
	f, err := frame.New(o)
	if err != nil {
		return 0, err
	}
	if s.frame != nil {
		s.frame.Close()
	}
	s.frame = f
	for at := 0; at < len(s.data); at += s.size {
		if _, err := f.Append(context.Background(), s.data[at:min(at+s.size, len(s.data))]); err != nil {
			return 0, err
		}
	}
	return f.CBytes(), nil
}

func (s *frameSide) decompress(dst []byte) error {
	for i, at := 0, 0; at < len(s.data); i, at = i+1, at+s.size {
		if _, err := s.frame.ReadChunk(context.Background(), dst[at:min(at+s.size, len(dst))], i); err != nil {
			return err
		}
	}
	return nil
}

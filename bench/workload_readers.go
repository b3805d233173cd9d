package main

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"

	"github.com/cairn-go/cairn/bench/data"
	"github.com/cairn-go/cairn/bench/result"
	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/frame"
)

// readerLevels are those at which writers differ most in what they choose.
var readerLevels = []int{1, 3, 5, 7, 9}

// readers compares what the writers write by what it costs to read: both libraries decode, in
// memory, the frames that both wrote. In these measures the peers are the writers.
func (s *contest) readers() error {
	dir, err := os.MkdirTemp("", "cairn-bench-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)

	levels := readerLevels
	if s.quick {
		levels = []int{5}
	}
	part := func(set *data.Set) (*data.Set, error) { return middle(set, mostLevelBytes), nil }
	return s.each(sweep{part: part, levels: levels, threads: []int{1}}, func(set *data.Set, j job) error {
		return s.readersOf(set, j, dir)
	})
}

// readersOf writes both frames and lets the readers take turns.
func (s *contest) readersOf(set *data.Set, j job, dir string) error {
	theirs := filepath.Join(dir, "c.b2frame")
	ours := filepath.Join(dir, "cairn.b2frame")
	written, err := s.c.command(append(append([]any{"frame-write", theirs}, j.numbers()...), j.chunkSize)...)
	if err != nil {
		return err
	}
	if err := writeFrame(ours, set, j, 0); err != nil {
		return err
	}

	frames, err := newReaderSide(set.Bytes, theirs, ours)
	if err != nil {
		return err
	}

	readers := []contender{
		{result.C, func(reps int) (answer, error) {
			return s.c.command("frame-read", reps, j.chunkSize, theirs, ours)
		}},
		{result.Cairn, frames.round},
	}
	times := []*result.Measure{{}, {}} // of C's frame, and of cairn's
	if err := s.takeTurns(s.rounds, times, readers...); err != nil {
		return err
	}

	for _, reader := range readers {
		m := j.measure("readers", reader.peer+" reads", set)
		m.Sides = []result.Side{
			{Peer: result.C, Seconds: times[0].Side(reader.peer).Seconds, Size: written.Size},
			{Peer: result.Cairn, Seconds: times[1].Side(reader.peer).Seconds, Size: frames.size}}
		s.keep(m)
	}
	return nil
}

// A readerSide decodes two frames of one array with cairn.
type readerSide struct {
	data, back []byte
	src        []byte // an encoded chunk
	dec        *chunk.Decoder
	frames     []*frame.Frame
	size       int64 // of the last frame
}

func newReaderSide(data []byte, paths ...string) (*readerSide, error) {
	r := &readerSide{data: data, back: bytes.Repeat([]byte{1}, len(data)), dec: chunk.NewDecoder(nil)}
	for _, path := range paths {
		raw, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		f, err := frame.FromBytes(raw, nil)
		if err != nil {
			return nil, err
		}
		r.frames = append(r.frames, f)
		r.size = f.CBytes()
	}
	return r, nil
}

// round decodes like frame-read of the C side: a chunk of one frame and the same chunk of the other
// in turn, through the same decoder and buffers. The times are the sums of the fastest repetition
// of each chunk.
func (r *readerSide) round(reps int) (answer, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()

	sums := make([]float64, len(r.frames))
	rest := r.data
	for i := 0; len(rest) > 0; i++ {
		length := 0
		best, err := fastest(reps, func() ([]float64, error) {
			times := make([]float64, len(r.frames))
			for writer, f := range r.frames {
				c, err := f.EncodedChunk(nil, i)
				if err != nil {
					return nil, err
				}
				r.src = append(r.src[:0], c...)
				began := threadClock()
				n, err := r.dec.Decode(r.back, r.src)
				times[writer] = threadClock() - began
				length = n
				if err == nil && !bytes.HasPrefix(rest, r.back[:n]) {
					err = errChanged
				}
				if err != nil {
					return nil, err
				}
			}
			return times, nil
		})
		if err != nil {
			return answer{}, err
		}

		for i, t := range best {
			sums[i] += t
		}
		rest = rest[length:]
	}
	return answer{Seconds: sums}, nil
}

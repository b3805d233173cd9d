package main

import (
	"bytes"
	"context"
	"runtime"
	"time"

	"github.com/cairn-go/cairn/bench/result"
	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/frame"
	"golang.org/x/sys/unix"
)

// A side compresses the pieces of its data to memory, in order, and decompresses them.
type side interface {
	compress(i int, src []byte) (cbytes int64, err error)
	decompress(i int, dst []byte) error
}

// A preparer is a side with untimed work before each repetition.
type preparer interface{ prepare() error }

// both returns a contender for a side. The times of a round are sums over the pieces, each the
// fastest of the repetitions, so that interruptions count little. It checks the decompressed data.
func both(peer string, s side, data []byte, j job) contender {
	clock := clockFor(j.threads)
	back := bytes.Repeat([]byte{1}, len(data))
	return contender{peer, func(reps int) (answer, error) {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		a := answer{Seconds: make([]float64, 2)}
		times, err := fastest(reps, func() ([]float64, error) {
			if p, ok := s.(preparer); ok {
				if err := p.prepare(); err != nil {
					return nil, err
				}
			}

			a.Size = 0
			packing, err := timed(clock, data, j.chunkSize, func(i int, src []byte) error {
				n, err := s.compress(i, src)
				a.Size += n
				return err
			})
			if err != nil {
				return nil, err
			}
			unpacking, err := timed(clock, back, j.chunkSize, s.decompress)
			return append(packing, unpacking...), err
		})

		for i, t := range times {
			a.Seconds[2*i/len(times)] += t
		}
		if err == nil && !bytes.Equal(data, back) {
			err = errChanged
		}
		return a, err
	}}
}

// timed calls work for each piece of the data, and returns how long each took on a clock.
func timed(clock clock, data []byte, pieceSize int, work func(i int, piece []byte) error) ([]float64, error) {
	var times []float64
	for at := 0; at < len(data); at += pieceSize {
		piece := data[at:min(at+pieceSize, len(data))]
		began := clock()
		if err := work(len(times), piece); err != nil {
			return nil, err
		}
		times = append(times, clock()-began)
	}
	return times, nil
}

// A clock returns seconds since some time.
type clock func() float64

// wallClock is for work that several threads share.
func wallClock() float64 { return time.Since(started).Seconds() }

var started = time.Now()

// threadClock is the processor time of the calling thread, which other work on the machine changes
// little. The goroutine must be locked to its thread.
func threadClock() float64 {
	var t unix.Timespec
	if unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t) != nil {
		return wallClock()
	}
	return time.Duration(t.Nano()).Seconds()
}

// clockFor returns the clock for a number of threads.
func clockFor(threads int) clock {
	if threads == 1 {
		return threadClock
	}
	return wallClock
}

// cairnSide returns a contender that does the same with cairn as "frames" or "chunks" of the C
// side.
func cairnSide(workload string, j job, data []byte) (contender, error) {
	if workload == "frames" {
		return both(result.Cairn, &frameSide{job: j}, data, j), nil
	}
	s, err := newChunkSide(j, data)
	return both(result.Cairn, s, data, j), err
}

// chunkSide uses an encoder and a decoder without a container; each chunk has its own buffer.
type chunkSide struct {
	enc *chunk.Encoder
	dec *chunk.Decoder
	out [][]byte
}

func newChunkSide(j job, data []byte) (*chunkSide, error) {
	enc, err := chunk.NewEncoder(&chunk.Options{TypeSize: j.typeSize, Codec: j.codec, Level: j.optionLevel(),
		Filters: j.filters(), Workers: j.threads})
	if err != nil {
		return nil, err
	}
	s := &chunkSide{enc: enc, dec: chunk.NewDecoder(&chunk.DecodeOptions{Workers: j.threads})}
	for at := 0; at < len(data); at += j.chunkSize {
		s.out = append(s.out, make([]byte, 0, min(j.chunkSize, len(data)-at)+chunk.HeaderSize))
	}
	return s, nil
}

func (s *chunkSide) compress(i int, src []byte) (int64, error) {
	c, err := s.enc.Append(s.out[i][:0], src)
	s.out[i] = c
	return int64(len(c)), err
}

func (s *chunkSide) decompress(i int, dst []byte) error {
	_, err := s.dec.Decode(dst, s.out[i])
	return err
}

// frameSide appends to a frame in memory and reads its chunks.
type frameSide struct {
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

func (s *frameSide) compress(_ int, src []byte) (int64, error) {
	before := s.frame.CBytes()
	_, err := s.frame.Append(context.Background(), src)
	return s.frame.CBytes() - before, err
}

func (s *frameSide) decompress(i int, dst []byte) error {
	_, err := s.frame.ReadChunk(context.Background(), dst, i)
	return err
}

func frameOptions(j job) *frame.Options {
	return &frame.Options{TypeSize: j.typeSize, Codec: j.codec, Level: j.optionLevel(), Filters: j.filters(), ChunkSize: j.chunkSize, Workers: j.threads}
}

package main

import (
	"bytes"
	"context"

	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/ndarray"
)

func openBytes(_ *tester, s *subject) (uint64, error) {
	b, ok := s.single()
	if !ok {
		return openPath(nil, s)
	}
	f, err := frame.FromBytes(b, nil)
	return look(f, err)
}

func openReader(_ *tester, s *subject) (uint64, error) {
	b, ok := s.single()
	if !ok {
		return 0, nil
	}
	f, err := frame.OpenReader(bytes.NewReader(b), int64(len(b)), nil)
	return look(f, err)
}

func openPath(_ *tester, s *subject) (uint64, error) {
	f, err := frame.Open("in", &frame.OpenOptions{FS: s.fs})
	return look(f, err)
}

// look reads what is available after opening a frame.
func look(f *frame.Frame, err error) (uint64, error) {
	if err != nil {
		return 0, err
	}
	f.Info()
	for _, l := range f.Layers() {
		if _, err := f.Layer(l.Name); err != nil {
			return 0, err
		}
	}
	f.VLNames()
	return 0, f.Close()
}

func openArray(_ *tester, s *subject) (uint64, error) {
	u, err := ndarray.Open("in", &ndarray.OpenOptions{FS: s.fs, Workers: 1})
	if err != nil {
		return 0, err
	}
	u.Shape()
	_ = u.DType().String()
	return 0, u.Close()
}

// opened opens the subject with the options of most calls.
func (l *tester) opened(s *subject) (*frame.Frame, error) {
	if b, ok := s.single(); ok {
		return frame.FromBytes(b, l.frameOptions(s))
	}
	return frame.Open("in", l.frameOptions(s))
}

// first keeps the first error of several calls, all of which are made.
type first struct{ err error }

func (f *first) take(err error) {
	if f.err == nil {
		f.err = err
	}
}

func readLayers(l *tester, s *subject) (asked uint64, err error) {
	f, err := l.opened(s)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	layers, err := f.VLLayers()
	for _, layer := range layers {
		asked += uint64(len(layer.Content))
	}
	for _, name := range f.VLNames()[:min(20, len(f.VLNames()))] {
		value, failed := f.VL(name)
		asked += uint64(len(value))
		if err == nil {
			err = failed
		}
	}
	return asked + scratch, err
}

// someChunks calls do with up to 24 chunks, the first ones and some others.
func (s *subject) someChunks(f *frame.Frame, do func(i int)) {
	n := f.NumChunks()
	for i := range min(n, 16) {
		do(i)
	}
	for i := 16; i < min(n, 24); i++ {
		do(s.rng.IntN(n))
	}
}

// eachChunk opens a frame and calls read for some of its chunks; it returns the first error.
func (l *tester) eachChunk(s *subject, read func(f *frame.Frame, i int, got *first)) error {
	f, err := l.opened(s)
	if err != nil {
		return err
	}
	defer f.Close()
	var got first
	s.someChunks(f, func(i int) { read(f, i, &got) })
	return got.err
}

func readChunks(l *tester, s *subject) (asked uint64, err error) {
	err = l.eachChunk(s, func(f *frame.Frame, i int, got *first) {
		c, err := f.EncodedChunk(nil, i)
		got.take(err)
		asked += uint64(len(c))
		_, err = f.ReadChunk(context.Background(), l.buf, i)
		got.take(err)
	})
	return asked + scratch, err
}

func readItems(l *tester, s *subject) (asked uint64, err error) {
	err = l.eachChunk(s, func(f *frame.Frame, i int, got *first) {
		info, err := f.Chunk(i)
		got.take(err)
		items := info.NBytes / max(1, f.TypeSize())
		if err != nil || items == 0 {
			return
		}
		from := s.rng.IntN(items)
		_, err = f.ReadItems(context.Background(), l.buf, i, from, from+1+s.rng.IntN(min(items-from, 100)))
		got.take(err)
	})
	return scratch, err
}

// sink is a block sink that reads the bytes of blocks.
type sink struct{ sum byte }

func (*sink) Dst(int, int) []byte { return nil }

func (s *sink) Put(_ int, b []byte) {
	if len(b) > 0 {
		s.sum ^= b[0] ^ b[len(b)-1]
	}
}

// wanted returns a random choice of the first blocks.
func (s *subject) wanted() []bool {
	want := make([]bool, 1+s.rng.IntN(20))
	for i := range want {
		want[i] = s.rng.IntN(3) == 0
	}
	return want
}

func readBlocks(l *tester, s *subject) (uint64, error) {
	f, err := l.opened(s)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	d := l.decoder(f.TypeSize())
	v := f.Snapshot()
	var got first
	s.someChunks(f, func(i int) {
		info, err := v.Chunk(i)
		got.take(err)
		if err == nil && !info.InIndex {
			got.take(v.Inside().DecodeBlocks(context.Background(), d, i, info.Header, s.wanted(), &sink{}))
		}
	})
	return scratch, got.err
}

func readArray(l *tester, s *subject) (asked uint64, err error) {
	u, err := ndarray.Open("in", l.arrayOptions(s))
	if err != nil {
		return 0, err
	}
	defer u.Close()

	var got first
	shape := u.Shape()
	for range 4 {
		start := make([]int64, len(shape))
		stop := make([]int64, len(shape))
		size := int64(u.TypeSize())
		ok := u.Len() > 0

		for i, n := range shape {
			if n == 0 {
				continue
			}
			start[i] = s.rng.Int64N(n)
			stop[i] = min(n, start[i]+1+s.rng.Int64N(16))
			if ok = ok && size <= int64(len(l.buf)); ok {
				size *= stop[i] - start[i]
			}
		}
		if ok && size <= int64(len(l.buf)) {
			got.take(u.ReadBytes(context.Background(), l.buf[:size], start, stop))
		}
	}

	if len(shape) > 0 && shape[0] > 0 {
		b, err := u.Read(context.Background(), ndarray.Index(s.rng.Int64N(shape[0])))
		got.take(err)
		asked += uint64(len(b))
	}
	return asked + scratch + uint64(maxAlloc), got.err
}

func verify(l *tester, s *subject) (uint64, error) {
	_, err := ndarray.Verify(context.Background(), "in", l.arrayOptions(s))
	return scratch, err
}

// readSingleBlocks reads blocks one by one, including those of variable length.
func readSingleBlocks(l *tester, s *subject) (asked uint64, err error) {
	err = l.eachChunk(s, func(f *frame.Frame, i int, got *first) {
		sizes, err := f.BlockSizes(i)
		got.take(err)
		asked += 16 * uint64(len(sizes))
		if len(sizes) > 0 {
			_, err = f.ReadBlock(context.Background(), l.buf, i, s.rng.IntN(len(sizes)))
			got.take(err)
		}
	})
	return asked + scratch, err
}

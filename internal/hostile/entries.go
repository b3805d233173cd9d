package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/ndarray"
)

// entry is a way into the library.
type entry struct {
	name  string
	bare  bool // for bare chunks
	opens bool // the one that counts files that open
	share int  // one of so many cases goes through it
	// run returns the bytes of the results that were asked for, and of scratch memory for blocks, which Limits bounds.
	run func(l *lab, s *subject) (asked uint64, err error)
}

func entries() []entry {
	return []entry{
		{"open bytes", false, true, 1, openBytes},
		{"open reader", false, false, 1, openReader},
		{"open path", false, false, 1, openPath},
		{"open array", false, false, 1, openArray},
		{"metalayers", false, false, 1, readLayers},
		{"chunks", false, false, 1, readChunks},
		{"items", false, false, 1, readItems},
		{"blocks", false, false, 1, readBlocks},
		{"array", false, false, 1, readArray},
		{"verify", false, false, 2, verify},
		{"salvage", false, false, 2, salvage},
		{"change", false, false, 4, change},
		{"decode", true, true, 1, decode},
		{"decode items", true, false, 1, decodeItems},
		{"decode blocks", true, false, 1, decodeBlocks},
	}
}

// scratch is the memory for blocks that a decoder may take on the word of a chunk that turns out to be broken: twice a block and its filtered form.
const (
	maxAlloc = 1 << 20
	scratch  = 3 * maxAlloc
)

// limits are tighter than the defaults where it is about what a caller is ready to spend.
func limits() cairn.Limits { return cairn.Limits{MaxAlloc: maxAlloc, MaxMeta: 1 << 20} }

func openBytes(_ *lab, s *subject) (uint64, error) {
	b, ok := s.single()
	if !ok {
		return openPath(nil, s)
	}
	f, err := frame.FromBytes(b, nil)
	return look(f, err)
}

func openReader(_ *lab, s *subject) (uint64, error) {
	b, ok := s.single()
	if !ok {
		return 0, nil
	}
	f, err := frame.OpenReader(bytes.NewReader(b), int64(len(b)), nil)
	return look(f, err)
}

func openPath(_ *lab, s *subject) (uint64, error) {
	f, err := frame.Open("in", &frame.OpenOptions{FS: s.fs})
	return look(f, err)
}

// look takes what opening alone gives.
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

func openArray(_ *lab, s *subject) (uint64, error) {
	u, err := ndarray.Open("in", &ndarray.OpenOptions{FS: s.fs, Workers: 1})
	if err != nil {
		return 0, err
	}
	u.Shape()
	u.DTypeString()
	return 0, u.Close()
}

// opened opens the subject as most calls do.
func (s *subject) opened() (*frame.Frame, error) {
	if b, ok := s.single(); ok {
		return frame.FromBytes(b, &frame.OpenOptions{Limits: limits()})
	}
	return frame.Open("in", &frame.OpenOptions{FS: s.fs, Limits: limits()})
}

// first keeps the first error of several calls, of which each is made whatever became of the others.
type first struct{ err error }

func (f *first) take(err error) {
	if f.err == nil {
		f.err = err
	}
}

func readLayers(_ *lab, s *subject) (asked uint64, err error) {
	f, err := s.opened()
	if err != nil {
		return 0, err
	}
	defer f.Close()
	layers, err := f.VLLayers()
	for _, l := range layers {
		asked += uint64(len(l.Content))
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

func readChunks(l *lab, s *subject) (asked uint64, err error) {
	f, err := s.opened()
	if err != nil {
		return 0, err
	}
	defer f.Close()
	var got first
	s.someChunks(f, func(i int) {
		c, err := f.EncodedChunk(nil, i)
		got.take(err)
		asked += uint64(len(c))
		_, err = f.ReadChunk(context.Background(), l.buf, i)
		got.take(err)
	})
	return asked + scratch, got.err
}

func readItems(l *lab, s *subject) (uint64, error) {
	f, err := s.opened()
	if err != nil {
		return 0, err
	}
	defer f.Close()
	var got first
	s.someChunks(f, func(i int) {
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
	return scratch, got.err
}

// sink takes blocks and looks at them.
type sink struct{ sum byte }

func (*sink) Dst(int, int) []byte { return nil }

func (s *sink) Put(_ int, b []byte) {
	if len(b) > 0 {
		s.sum ^= b[0] ^ b[len(b)-1]
	}
}

// wanted chooses some of the first blocks.
func (s *subject) wanted() []bool {
	want := make([]bool, 1+s.rng.IntN(20))
	for i := range want {
		want[i] = s.rng.IntN(3) == 0
	}
	return want
}

func readBlocks(_ *lab, s *subject) (uint64, error) {
	f, err := s.opened()
	if err != nil {
		return 0, err
	}
	defer f.Close()
	d := chunk.NewDecoder(&chunk.DecodeOptions{Limits: limits(), FrameTypeSize: f.TypeSize()})
	v := f.View()
	var got first
	s.someChunks(f, func(i int) {
		info, err := v.Chunk(i)
		got.take(err)
		if err == nil && !info.InIndex {
			got.take(v.DecodeBlocks(d, i, info.Header, s.wanted(), &sink{}))
		}
	})
	return scratch, got.err
}

func readArray(l *lab, s *subject) (asked uint64, err error) {
	u, err := ndarray.Open("in", &ndarray.OpenOptions{FS: s.fs, Limits: limits(), Workers: 1})
	if err != nil {
		return 0, err
	}
	defer u.Close()
	var got first
	shape := u.Shape()
	for range 4 {
		start, stop := make([]int64, len(shape)), make([]int64, len(shape))
		size, ok := int64(u.TypeSize()), u.Len() > 0
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
			got.take(u.ReadBox(context.Background(), l.buf[:size], start, stop))
		}
	}
	if len(shape) > 0 && shape[0] > 0 {
		b, err := u.Read(context.Background(), ndarray.Index(s.rng.Int64N(shape[0])))
		got.take(err)
		asked += uint64(len(b))
	}
	return asked + scratch + uint64(maxAlloc), got.err
}

func verify(_ *lab, s *subject) (uint64, error) {
	_, err := ndarray.Verify(context.Background(), "in", &ndarray.OpenOptions{FS: s.fs, Limits: limits(), Workers: 1})
	return scratch, err
}

// unsoundError says that a repaired file is not sound.
type unsoundError struct{ err error }

func (e unsoundError) Error() string { return "the repaired file: " + e.err.Error() }

func unsound(err error) bool {
	var e unsoundError
	return errors.As(err, &e)
}

// fileCost is what the files of a directory may take that were written: in memory, each has some room to grow.
func (s *subject) fileCost(dir string) uint64 {
	files, err := s.fs.ReadDir(dir)
	if err != nil {
		return 0
	}
	return uint64(len(files)) * fileRoom
}

const fileRoom = 8 << 10

// lostRow is what a report may take for each lost chunk, with the reason in words.
const lostRow = 1 << 10

func salvage(_ *lab, s *subject) (uint64, error) {
	r, err := frame.Salvage(context.Background(), "in", "out", &frame.SalvageOptions{FS: s.fs, Limits: limits()})
	if err != nil {
		return scratch, err
	}
	asked := uint64(scratch+4*r.Info.FrameLen+4*r.Info.CBytes) + lostRow*uint64(len(r.Lost)) // the new frame, and a list
	asked += s.fileCost("out")
	_, err = frame.Verify(context.Background(), "out", &frame.OpenOptions{FS: s.fs, Limits: limits()})
	if err != nil && !errors.Is(err, cairn.ErrUnsupported) && !errors.Is(err, cairn.ErrLimit) {
		return asked, unsoundError{fmt.Errorf("%w; saved %d, lost %d", err, r.Saved, r.LostTotal)}
	}
	return asked + scratch, nil
}

const longIndex = 1 << 14

func change(l *lab, s *subject) (uint64, error) {
	ctx := context.Background()
	f, err := frame.Open("in", &frame.OpenOptions{FS: s.fs, Mode: frame.ReadWrite, Limits: limits()})
	if err != nil {
		return 0, err
	}
	var got first
	n := min(max(1, f.ChunkSize()), 4096)
	if f.NumChunks() > 0 {
		if f.NumChunks() <= longIndex { // these take time in proportion to it
			got.take(f.Update(ctx, s.rng.IntN(f.NumChunks()), l.buf[:n]))
			got.take(f.Delete(ctx, s.rng.IntN(f.NumChunks())))
		}
	}
	if f.NumChunks() <= longIndex {
		_, err = f.Append(ctx, l.buf[:n])
		got.take(err)
	}
	got.take(f.SetVL("new", l.buf[:10]))
	got.take(f.Commit(ctx))
	got.take(f.Close())
	// What is written is asked for: chunks, and an index that states every one of them.
	info, err := s.fs.Stat("in")
	if err != nil || info.Dir {
		return scratch + 4*s.size + s.fileCost("in"), got.err
	}
	return scratch + 4*s.size + 6*uint64(info.Size), got.err
}

func decode(l *lab, s *subject) (uint64, error) {
	b, _ := s.single()
	_, err := chunk.NewDecoder(&chunk.DecodeOptions{Limits: limits()}).Decode(l.buf, b)
	return scratch, err
}

func decodeItems(l *lab, s *subject) (uint64, error) {
	b, _ := s.single()
	h, err := chunk.ParseHeader(b)
	items := int(h.NBytes) / max(1, int(h.TypeSize))
	if err != nil || items <= 0 {
		return 0, err
	}
	from := s.rng.IntN(items)
	_, err = chunk.NewDecoder(&chunk.DecodeOptions{Limits: limits()}).DecodeItems(l.buf, b, from, from+1+s.rng.IntN(min(items-from, 1000)))
	return scratch, err
}

func decodeBlocks(_ *lab, s *subject) (uint64, error) {
	b, _ := s.single()
	return scratch, chunk.NewDecoder(&chunk.DecodeOptions{Limits: limits()}).DecodeBlocks(b, s.wanted(), &sink{})
}

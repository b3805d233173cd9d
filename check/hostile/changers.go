package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/shuffle"
)

// unsoundError means that a repaired file is not sound.
type unsoundError struct{ err error }

func (e unsoundError) Error() string { return "the repaired file: " + e.err.Error() }

func unsound(err error) bool {
	var e unsoundError
	return errors.As(err, &e)
}

// fileCost returns the memory that written files of a directory may take. In memory, each file has
// some spare capacity.
func (s *subject) fileCost(dir string) uint64 {
	files, err := s.fs.ReadDir(dir)
	if err != nil {
		return 0
	}
	return uint64(len(files)) * fileRoom
}

const fileRoom = 8 << 10

// stored returns the size of all files of a directory.
func (s *subject) stored(dir string) (n uint64) {
	files, err := s.fs.ReadDir(dir)
	if err != nil {
		return 0
	}
	for _, f := range files {
		n += uint64(f.Size)
	}
	return n
}

// lostRow is the memory of a report for each lost chunk, with its error text.
const lostRow = 1 << 10

func salvage(l *tester, s *subject) (uint64, error) {
	r, err := frame.Salvage(context.Background(), "in", "out",
		&frame.SalvageOptions{FS: s.fs, Engine: chunk.Engine{Limits: limits(), Codecs: l.codecs, Filters: l.filters}})
	if err != nil {
		return scratch, err
	}
	// the new frame and the list of lost chunks
	asked := uint64(scratch+4*r.Info.FrameLen+4*r.Info.CBytes) + lostRow*uint64(len(r.Lost))
	asked += s.fileCost("out")
	_, err = frame.Verify(context.Background(), "out", l.frameOptions(s))
	if err != nil && !errors.Is(err, cairn.ErrUnsupported) && !errors.Is(err, cairn.ErrLimit) {
		return asked, unsoundError{fmt.Errorf("%w; saved %d, lost %d", err, r.Saved, r.LostTotal)}
	}
	return asked + scratch, nil
}

const longIndex = 1 << 14

func change(l *tester, s *subject) (uint64, error) {
	ctx := context.Background()
	o := l.frameOptions(s)
	o.Mode = frame.ReadWrite
	f, err := frame.Open("in", o)
	if err != nil {
		return 0, err
	}

	var got first
	n := min(max(1, f.ChunkSize()), 4096)
	if f.NumChunks() > 0 {
		if f.NumChunks() <= longIndex { // these take time in proportion to the index
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

	// Written data counts as asked for: the chunks and their index.
	info, err := s.fs.Stat("in")
	if err != nil || info.Dir {
		return scratch + 4*s.size + 6*s.stored("in") + s.fileCost("in"), got.err
	}
	return scratch + 4*s.size + 6*uint64(info.Size), got.err
}

// salvageArray repairs with [ndarray.Salvage], which checks its result itself. Lost items are
// filled with a number of the caller.
func salvageArray(l *tester, s *subject) (uint64, error) {
	r, err := ndarray.Salvage(context.Background(), "in", "out",
		&ndarray.SalvageOptions{FS: s.fs, Engine: chunk.Engine{Limits: limits(), Codecs: l.codecs,
			Filters: l.filters}, Fill: 1})
	info := r.Frame.Info
	return uint64(2*scratch+6*info.FrameLen+6*info.CBytes) + lostRow*uint64(len(r.Frame.Lost)+len(r.Boxes)) + s.fileCost("out"), err
}

// copyFrame copies chunks as they are encoded.
func copyFrame(l *tester, s *subject) (uint64, error) { return l.copied(s, &frame.CopyOptions{}) }

// recodeFrame copies with another codec and filter.
func recodeFrame(l *tester, s *subject) (uint64, error) {
	return l.copied(s, &frame.CopyOptions{Codec: codecs.LZ4, Level: 1, Filters: []shuffle.Spec{shuffle.Byte}, Recode: true})
}

func (l *tester) copied(s *subject, o *frame.CopyOptions) (uint64, error) {
	f, err := l.opened(s)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	if f.NumChunks() > longIndex {
		o.First = 16
	}

	var decoded uint64 // the most that is asked for, since chunks are encoded one by one
	o.Progress = func(done, _ int64) { decoded = uint64(done) }
	o.FS = s.fs
	o.Limits = limits()
	o.Codecs = l.codecs
	o.Engine.Filters = l.filters

	err = frame.Copy(context.Background(), "out", f.Snapshot(), o)
	info, statErr := s.fs.Stat("out")
	if err != nil || statErr != nil || info.Dir {
		return 2*scratch + 4*s.size + 3*decoded + s.fileCost("out"), err
	}
	return 2*scratch + 4*s.size + 3*decoded + 6*uint64(info.Size), nil
}

// copyArray copies small arrays to chunks and blocks of other shapes.
func copyArray(l *tester, s *subject) (uint64, error) {
	u, err := ndarray.Open("in", l.arrayOptions(s))
	if err != nil {
		return 0, err
	}
	defer u.Close()
	if (u.Len() * int64(u.TypeSize())) > maxAlloc {
		return 0, nil
	}
	shape := u.Shape()
	for i := range shape {
		shape[i] = 1 + shape[i]/2
	}
	c, err := ndarray.Copy(context.Background(), u, &ndarray.CopyOptions{ChunkShape: shape,
		Workers: 1, Memory: maxAlloc})
	if err != nil {
		return 3 * scratch, err
	}
	return 3*scratch + 4*uint64(u.Len()*int64(u.TypeSize())), c.Close()
}

package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/shuffle"
	"github.com/cairn-go/cairn/storage"
)

// A subject is the array of a program in cairn.
type subject struct {
	*program
	u         *ndarray.Untyped
	dir       string
	fs        storage.FS // nil: the operating system's
	path      string     // empty in memory
	copies    int        // how often the array was replaced by a new one
	committed []byte     // committed bytes of an array in memory, for doKill
	snapshots []*ndarray.Untyped
	failed    bool // a step since the last commit has; see end
}

// newSubject creates the array of a program. Its files are in dir.
func newSubject(p *program, dir string) (*subject, error) {
	s := &subject{program: p, dir: dir}
	switch p.Place {
	case inFS:
		s.fs = storage.NewMemory()
		s.path = "a0"
	case onDisk:
		s.path = filepath.Join(dir, "a0")
	}
	var err error
	s.u, err = s.create(s.path, p.Shape, p.Chunks, p.Blocks)
	if err != nil {
		return s, err
	}

	err = s.commit()
	return s, err
}

func (s *subject) create(path string, shape, chunks, blocks []int64) (*ndarray.Untyped, error) {
	o := s.options(chunks, blocks)
	if s.Fill != nil {
		o.Fill = s.Fill
	}
	if path == "" {
		return ndarray.NewUntyped(s.DType, shape, o)
	}
	return ndarray.CreateUntyped(path, s.DType, shape, o)
}

func (s *subject) options(chunks, blocks []int64) *ndarray.Options {
	o := &ndarray.Options{
		ChunkShape: chunks, BlockShape: blocks, Level: s.Level, Workers: s.Workers, WriteBehind: s.Behind, Sparse: s.Sparse && s.path != "", FS: s.fs,
	}
	for _, row := range codecs.Rows() {
		if row.Name == s.Codec {
			o.Codec = codecs.ByID(row.ID, 0)
		}
	}
	if s.Level < 0 {
		o.Level = chunk.Stored
	}
	for _, name := range s.Filter {
		o.Filters = append(o.Filters, filters[name])
	}
	return o
}

var filters = map[string]shuffle.Spec{"none": shuffle.None, "shuffle": shuffle.Byte, "bitshuffle": shuffle.Bit, "delta": shuffle.Delta}

// close closes the array. The file of an array on disk remains.
func (s *subject) close() error {
	for _, v := range s.snapshots {
		if err := v.Close(); err != nil {
			return err
		}
	}
	s.snapshots = nil
	if s.u == nil {
		return nil
	}
	err := s.end()
	s.u = nil
	return err
}

// end closes the array. A program goes on after a step that failed, so it commits the others first:
// Close would drop them.
func (s *subject) end() error {
	if s.failed {
		if err := s.commit(); err != nil {
			return err
		}
	}
	return s.u.Close()
}

func (s *subject) commit() error {
	ctx := context.Background()
	if err := s.u.Commit(ctx); err != nil {
		return err
	}
	s.failed = false
	return s.remember()
}

// remember stores the committed bytes of an array in memory.
func (s *subject) remember() (err error) {
	if s.path == "" {
		s.committed, err = s.u.Bytes()
	}
	return err
}

func (s *subject) openOptions() *ndarray.OpenOptions {
	return &ndarray.OpenOptions{Mode: ndarray.ReadWrite, Workers: s.Workers, WriteBehind: s.Behind, FS: s.fs}
}

// open opens the committed array.
func (s *subject) open() (err error) {
	o := s.openOptions()
	if s.path == "" {
		s.u, err = ndarray.FromBytes(slices.Clone(s.committed), o)
	} else {
		s.u, err = ndarray.Open(s.path, o)
	}
	return err
}

// reopen commits, closes and opens the array.
func (s *subject) reopen() error {
	if err := s.commit(); err != nil {
		return err
	}
	return s.again(s.end)
}

// again closes the handle with end and opens the array again. Snapshots are dropped, because they
// are only valid with their handle.
func (s *subject) again(end func() error) error {
	if err := end(); err != nil {
		return err
	}
	s.snapshots = nil
	s.u = nil
	return s.open()
}

// next returns the path for an array that will replace the current one.
func (s *subject) next() string {
	s.copies++
	switch s.Place {
	case inFS:
		return fmt.Sprint("a", s.copies)
	case onDisk:
		return filepath.Join(s.dir, fmt.Sprint("a", s.copies))
	}
	return ""
}

// replace continues with another array and removes the file of the old one.
func (s *subject) replace(u *ndarray.Untyped, path string) error {
	if err := s.close(); err != nil {
		u.Abort()
		return err
	}
	if s.Place == onDisk {
		if err := os.RemoveAll(s.path); err != nil {
			return err
		}
	}
	s.u = u
	s.path = path
	return s.commit()
}

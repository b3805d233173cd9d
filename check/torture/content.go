package main

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"io/fs"

	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/storage"
)

// content summarises the data of a frame or array: equal ones have equal contents. The zero content
// stands for no frame.
type content struct {
	parts  int // chunks, 1 for an array
	nbytes int64
	sum    [8]byte
}

func (c content) String() string {
	if c == (content{}) {
		return "no frame"
	}
	return fmt.Sprintf("%d chunks, %d bytes, sum %x", c.parts, c.nbytes, c.sum)
}

// summer computes a checksum of a sequence of parts, which depends on their boundaries.
type summer struct{ hash hash.Hash }

// newSummer returns a summer with SHA-256, as in testdata/look.py.
func newSummer() *summer { return &summer{sha256.New()} }

func (s *summer) add(part []byte) {
	s.hash.Write(binary.LittleEndian.AppendUint64(nil, uint64(len(part))))
	s.hash.Write(part)
}

func (s *summer) sum() [8]byte { return [8]byte(s.hash.Sum(nil)) }

func (s *summer) layers(layers []meta.Layer) {
	s.add(binary.LittleEndian.AppendUint64(nil, uint64(len(layers))))
	for _, l := range layers {
		s.add([]byte(l.Name))
		s.add(l.Content)
	}
}

// A look reads the content of a file or directory.
type look func(fsys storage.FS, name string) (content, error)

// lookAs returns the look for programs of a kind. It also verifies the frame.
func lookAs(kind string) look {
	if kind == "array" || kind == "sparse array" {
		return lookAtArray
	}
	return lookAtFrame
}

// chunkRoom is more than any chunk here decodes to.
const chunkRoom = 1 << 20

// contentOf returns the content of a state.
func contentOf(v *frame.Snapshot) (content, error) {
	s := newSummer()
	room := max(v.ChunkSize(), 4*frameChunk)
	if v.ChunkSize() == 0 { // variable
		room = chunkRoom
	}
	buf := make([]byte, min(chunkRoom, room))

	for i := range v.NumChunks() {
		n, err := v.ReadChunk(context.Background(), buf, i)
		if err != nil {
			return content{}, err
		}
		s.add(buf[:n])
	}

	s.layers(v.Layers())
	vl, err := v.VLLayers()
	if err != nil {
		return content{}, err
	}
	s.layers(vl)
	return content{v.NumChunks(), v.NBytes(), s.sum()}, nil
}

// absent returns nil if err means that the name does not exist, else err.
func absent(fsys storage.FS, name string, err error) error {
	if _, statErr := fsys.Stat(name); errors.Is(statErr, fs.ErrNotExist) {
		return nil
	}
	return err
}

func lookAtFrame(fsys storage.FS, name string) (content, error) {
	f, err := frame.Open(name, &frame.OpenOptions{FS: fsys})
	if err != nil {
		return content{}, absent(fsys, name, err)
	}
	c, err := contentOf(f.Snapshot())
	if err != nil {
		return c, errors.Join(err, f.Close())
	}

	_, err = f.Verify(context.Background())
	return c, errors.Join(err, f.Close())
}

func lookAtArray(fsys storage.FS, name string) (content, error) {
	a, err := ndarray.Open(name, &ndarray.OpenOptions{FS: fsys, Workers: 1})
	if err != nil {
		return content{}, absent(fsys, name, err)
	}
	s := newSummer()
	items, err := a.Read(context.Background())
	s.add(items)
	vl, vlErr := a.Frame().VLLayers()
	s.layers(vl)
	if err = errors.Join(err, vlErr); err != nil {
		return content{1, int64(len(items)), s.sum()}, errors.Join(err, a.Close())
	}

	_, err = a.Frame().Verify(context.Background())
	return content{1, int64(len(items)), s.sum()}, errors.Join(err, a.Close())
}

// lookAtForeign reads all data of a file of another writer, as a frame and, with array, as an
// array. The content includes the geometry. Faults that do not affect reading are ignored.
func lookAtForeign(fsys storage.FS, name string, array bool) (content, error) {
	f, err := frame.Open(name, &frame.OpenOptions{FS: fsys})
	if err != nil {
		return content{}, err
	}
	c, err := contentOf(f.Snapshot())
	if err = errors.Join(err, f.Close()); err != nil || !array {
		return c, err
	}

	a, err := ndarray.Open(name, &ndarray.OpenOptions{FS: fsys, Workers: 1})
	if err != nil {
		return content{}, err
	}

	s := newSummer()
	chunks, blocks := a.Grid()
	s.add(fmt.Append(nil, a.Shape(), chunks, blocks, a.DType().String()))
	items, err := a.Read(context.Background())
	s.add(items)
	s.add(c.sum[:])
	c.sum = s.sum()
	return c, errors.Join(err, a.Close())
}

package golden_test

import (
	"context"
	"crypto/sha256"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/internal/test/golden"
	"github.com/cairn-go/cairn/storage"
)

func TestHostileFrames(t *testing.T) {
	for _, c := range toDamage(t, golden.Frame, golden.Huge) {
		if c.Sparse || c.Offset != 0 {
			continue
		}
		raw, err := c.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			damage(t, victim{c.Name, raw, c.DecodedSize, readFrame})
		})
	}
}

// TestHostileSparse damages each file of sparse frames in turn.
func TestHostileSparse(t *testing.T) {
	for _, c := range toDamage(t, golden.Frame, golden.B2ND) {
		if !c.Sparse {
			continue
		}
		for file := range c.Files {
			if len(c.Files) > 4 && !strings.HasSuffix(file, ".b2frame") && !strings.HasSuffix(file, "2.chunk") {
				continue // one chunk file is as good as another
			}
			raw, err := os.ReadFile(filepath.Join(c.Path(), file))
			if err != nil {
				t.Fatal(err)
			}
			t.Run(c.Name+"/"+file, func(t *testing.T) {
				t.Parallel()
				damage(t, victim{c.Name, raw, c.DecodedSize, func(raw []byte) ([32]byte, error) { return readSparse(c, file, raw) }})
			})
		}
	}
}

// hostileLimits limit allocations, since the value of a metalayer may have any size that the limits
// allow.
var hostileLimits = cairn.Limits{MaxAlloc: 32 << 20}

func readFrame(raw []byte) ([32]byte, error) {
	f, err := frame.FromBytes(raw, &frame.OpenOptions{Engine: chunk.Engine{Limits: hostileLimits}})
	if err != nil {
		return [32]byte{}, err
	}
	defer f.Close()
	return digestFrame(f)
}

// digestFrame reads everything in a frame, but if the frame claims to have many chunks only the
// first, and only chunks that fit into a fixed buffer.
func digestFrame(f *frame.Frame) (digest [32]byte, err error) {
	buf := buffers.Get().(*[]byte)
	defer buffers.Put(buf)
	h := sha256.New()
	for _, name := range f.VLNames() {
		value, err := f.VL(name)
		if err != nil {
			return digest, err
		}
		h.Write(value)
	}
	for i := range min(f.NumChunks(), 2000) {
		n, err := f.ReadChunk(context.Background(), *buf, i)
		if err != nil {
			return digest, err
		}
		h.Write((*buf)[:n])
	}
	return [32]byte(h.Sum(nil)), nil
}

// readSparse opens a sparse golden with one file replaced.
func readSparse(c *golden.Case, file string, raw []byte) ([32]byte, error) {
	f, err := frame.Open(c.Name, &frame.OpenOptions{Engine: chunk.Engine{Limits: hostileLimits},
		FS: patched{storage.IOFS(os.DirFS(filepath.Dir(c.Path()))), c.Name + "/" + file, raw}})
	if err != nil {
		return [32]byte{}, err
	}
	defer f.Close()
	return digestFrame(f)
}

// patched is a file system that replaces the contents of one file.
type patched struct {
	storage.FS
	name string
	raw  []byte
}

func (p patched) Open(name string) (storage.File, error) {
	if name == p.name {
		return storage.BytesFile(p.raw), nil
	}
	return p.FS.Open(name)
}

func (p patched) Stat(name string) (storage.Info, error) {
	info, err := p.FS.Stat(name)
	if err == nil && name == p.name {
		info.Size = int64(len(p.raw))
	}
	return info, err
}

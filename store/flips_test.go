package store

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"testing"

	"github.com/cairn-go/cairn/frame"
)

var flipAll = flag.Bool("flip-all", false, "flip every bit of members too, and of all archives")

// verified verifies a store like the command, but first the leaf at an offset of the archive.
func verified(ctx context.Context, s *Store, first int64) error {
	for i := range s.leaves.all {
		if l := &s.leaves.all[i]; !l.Embedded && l.Offset <= first && first < l.Offset+l.Size {
			if _, err := s.Verify(ctx, l.Key); err != nil {
				return err
			}
		}
	}
	_, err := s.Verify(ctx, "/")
	for i := range s.leaves.all {
		if err == nil && s.leaves.all[i].URL == "" {
			_, err = s.Verify(ctx, s.leaves.all[i].Key)
		}
	}
	return err
}

// openAlone opens an archive for reading with one worker.
func openAlone(data []byte) (*Store, error) {
	return OpenReader(bytes.NewReader(data), int64(len(data)), "x", &OpenOptions{Workers: 1})
}

// readable returns a hash of everything that can be read of an archive: the list of leaves, decoded
// items, metalayers, attributes, objects, and properties of frames.
func readable(ctx context.Context, data []byte) ([]byte, error) {
	s, err := openAlone(data)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	h := sha256.New()
	objects, err := s.Objects()
	if err != nil {
		return nil, err
	}
	fmt.Fprintln(h, s.kind, groupsOf(ctx, s), objects)
	for key := range objects {
		t, err := s.Table(ctx, key)
		fmt.Fprintln(h, t, err)
	}
	for i := range s.leaves.all {
		l := s.leaves.all[i]
		l.Offset = 0
		fmt.Fprintln(h, l)
		if l.URL != "" {
			continue
		}
		f, err := s.Frame(l.Key)
		if err != nil {
			return nil, err
		}
		err = errors.Join(sumFrame(ctx, h, f), f.Close())
		if err != nil {
			return nil, err
		}
		if path.Base(l.Key) == AttributesName {
			m, err := s.Attributes(ctx, path.Dir(l.Key))
			fmt.Fprintln(h, m, err)
		}
		if kind, err := s.Kind(l.Key); err == nil && kind.hasItems() {
			u, err := s.Array(ctx, l.Key)
			if err != nil {
				return nil, err
			}
			chunks, blocks := u.Grid()
			fmt.Fprintln(h, u.Shape(), chunks, blocks, u.DType().String())
			u.Close()
		}
	}
	return h.Sum(nil), nil
}

// sumFrame writes everything that a frame returns.
func sumFrame(ctx context.Context, w io.Writer, f *frame.Frame) error {
	layers, err := f.VLLayers()
	if err != nil {
		return err
	}
	fmt.Fprintln(w, f.NBytes(), f.NumChunks(), f.TypeSize(), f.Layers(), layers)
	var data []byte
	for i := range f.NumChunks() {
		c, err := f.Chunk(i)
		if err != nil {
			return err
		}
		data = slices.Grow(data[:0], c.NBytes)
		n, err := f.ReadChunk(ctx, data[:c.NBytes], i)
		if err != nil {
			return err
		}
		w.Write(data[:n])
	}
	return nil
}

// flip flips each bit of an archive in turn, but only one in every outside of members. Each change
// must be found by Verify, or must not affect what can be read.
func flip(t *testing.T, name string, data []byte, every int) {
	ctx := t.Context()
	want, err := readable(ctx, data)
	check(t, err)
	s, err := openAlone(data)
	check(t, err, verified(ctx, s, 0))
	c, err := s.check(ctx)
	check(t, err)
	inside := func(at int) bool {
		return slices.ContainsFunc(c.members, func(m checkedMember) bool {
			return int64(at) >= m.from && int64(at) < m.from+int64(m.size)
		})
	}
	found, silent, harmless := 0, 0, 0
	for bit := range 8 * len(data) {
		if !*flipAll && (bit%every != 0 || bit%41 != 0 && inside(bit/8)) {
			continue
		}
		data[bit/8] ^= 1 << (bit % 8)
		s, err := openAlone(data)
		if err == nil {
			err = errors.Join(verified(ctx, s, int64(bit/8)), s.Close())
		}
		if err != nil {
			found++
		} else if got, err := readable(ctx, data); err == nil && bytes.Equal(got, want) {
			harmless++
		} else if silent++; silent < 5 {
			t.Errorf("%s: bit %d of byte %d changes what is read, and is not found: %v", name, bit%8, bit/8, err)
		}
		data[bit/8] ^= 1 << (bit % 8)
	}
	t.Logf("%s: %d bits found, %d harmless, %d silent, of %d", name, found, harmless, silent, 8*len(data))
	if found == 0 || harmless == 0 {
		t.Errorf("%s: %d found, %d harmless", name, found, harmless)
	}
}

// TestEveryFlippedBitOfAnArchiveIsFound flips bits in archives of both libraries, with groups,
// attributes and a table, and in archives of other programs.
func TestEveryFlippedBitOfAnArchiveIsFound(t *testing.T) {
	names := []string{"testdata/tree.b2z", "testdata/table.b2z"}
	if *flipAll {
		var err error
		names, err = filepath.Glob("testdata/*.b2z")
		check(t, err)
	}
	for _, name := range names {
		data, err := os.ReadFile(name)
		check(t, err)
		flip(t, name, data, 1)
	}
	for name, data := range soundArchives(t) {
		flip(t, name, data, 5)
	}
	path := filepath.Join(t.TempDir(), "t.b2z")
	makeStore(t, path)
	data, err := os.ReadFile(path)
	check(t, err)
	flip(t, "of cairn", data, 1)
}

package command

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/internal/derived"
	"github.com/cairn-go/cairn/internal/described"
	"github.com/cairn-go/cairn/internal/placing"
	"github.com/cairn-go/cairn/internal/slab"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/shuffle"
	"github.com/cairn-go/cairn/storage"
)

// compareBytes is how much of each array is compared at a time.
const compareBytes = 16 << 20

var errVerifyLossy = errors.New("-verify needs a lossless copy, and this one encodes again with a lossy codec or filter")

// differsError says where a copy differs from its source.
type differsError struct{ where string }

func (e *differsError) Error() string { return "the copy differs in " + e.where + ", and was removed" }

// isLossy reports whether a copy of the plain frame that info describes may change items.
func isLossy(info frame.Info, o *ndarray.CopyOptions) bool {
	if !o.Recode && o.Codec == codecs.Default && o.Level == 0 && o.Filters == nil {
		return false
	}
	filters := o.Filters
	if filters == nil {
		filters = info.Pipeline[:]
	}
	return slices.ContainsFunc(filters, func(s shuffle.Spec) bool {
		row, err := (*shuffle.Registry)(nil).Lookup(s.ID)
		return err == nil && row.Lossy
	})
}

// compareArrays compares an array with its copy, slab by slab.
func compareArrays(ctx context.Context, std *streams, in ndarray.Source, path string, o *ndarray.CopyOptions) error {
	out, err := ndarray.Open(path, &ndarray.OpenOptions{Workers: o.Workers})
	if err != nil {
		return err
	}
	defer out.Close()

	if in.DType().String() != out.DType().String() || !slices.Equal(in.Shape(), out.Shape()) {
		return &differsError{"its shape or dtype"}
	}
	if u, ok := in.(*ndarray.Untyped); ok {
		if err := compareLayers(u.Frame(), out.Frame()); err != nil {
			return err
		}
	}

	bar := std.newBar("comparing", described.Bytes(in))
	defer bar.Close()
	var want, got []byte

	chunks, _ := out.Grid()
	edge := slab.Chunked(in.Shape(), chunks, int64(out.TypeSize()), compareBytes)
	for box := range slab.Walk(make([]int64, len(chunks)), in.Shape(), edge) {
		n := int(box.Items()) * out.TypeSize()
		want = slab.Resize(want, n)
		got = slab.Resize(got, n)

		if err := in.ReadBytes(ctx, want, box.Start, box.Stop); err != nil {
			return err
		}
		if err := out.ReadBytes(ctx, got, box.Start, box.Stop); err != nil {
			return err
		}

		if !bytes.Equal(want, got) {
			return &differsError{fmt.Sprintf("items %v to %v", box.Start, box.Stop)}
		}
		bar.Add(int64(n))
	}
	return nil
}

// compareFrames compares a frame with its copy, chunk by chunk.
func compareFrames(ctx context.Context, std *streams, in *frame.Frame, path string) error {
	out, err := frame.Open(path, nil)
	if err != nil {
		return err
	}
	defer out.Close()

	if in.NumChunks() != out.NumChunks() || in.TypeSize() != out.TypeSize() || in.NBytes() != out.NBytes() {
		return &differsError{"its size"}
	}
	if err := compareLayers(in, out); err != nil {
		return err
	}

	bar := std.newBar("comparing", in.NBytes())
	defer bar.Close()
	var want, got []byte

	for i := range in.NumChunks() {
		if want, err = readChunk(ctx, in, want, i); err != nil {
			return err
		}
		if got, err = readChunk(ctx, out, got, i); err != nil {
			return err
		}

		if !bytes.Equal(want, got) {
			return &differsError{fmt.Sprintf("chunk %d", i)}
		}
		bar.Add(int64(len(want)))
	}
	return nil
}

// readChunk decodes a chunk into reused memory.
func readChunk(ctx context.Context, f *frame.Frame, buf []byte, i int) ([]byte, error) {
	info, err := f.Chunk(i)
	if err != nil {
		return buf, err
	}
	buf = slab.Resize(buf, int(info.NBytes))
	_, err = f.ReadChunk(ctx, buf, i)
	return buf, err
}

// compareLayers compares metalayers byte for byte, except the one of the array, which states its
// chunks, and those that copies leave out.
func compareLayers(in, out *frame.Frame) error {
	array := func(l meta.Layer) bool { return l.Name == meta.LayerB2ND || l.Name == meta.LayerCaterva }
	same := func(x, y meta.Layer) bool { return x.Name == y.Name && bytes.Equal(x.Content, y.Content) }
	if !slices.EqualFunc(slices.DeleteFunc(in.Layers(), array), slices.DeleteFunc(out.Layers(), array), same) {
		return &differsError{"its metalayers"}
	}

	want, err := in.VLLayers()
	if err != nil {
		return err
	}
	got, err := out.VLLayers()
	placed := func(l meta.Layer) bool { return derived.IsPlaced(l.Name) }
	if err == nil && !slices.EqualFunc(slices.DeleteFunc(want, placed), slices.DeleteFunc(got, placed), same) {
		err = &differsError{"its metalayers of variable length"}
	}
	return err
}

// write makes a copy. With -verify, the copy gets its name only after compare, which is called with
// its temporary path, has succeeded.
func (f *copyFlags) write(ctx context.Context, std *streams, out target, write, compare func(path string) error) error {
	checked := func(path string) error {
		err := write(path)
		if err == nil && f.verify {
			err = compare(path)
		}
		return err
	}
	return std.writeOut(ctx, output{out, f.force, f.sparse, f.keep}, func(path string) error {
		// Single files have a temporary path anyway.
		if !f.verify || out.One() || out.Far() {
			return checked(path)
		}
		return writeBeside(path, f.force, checked)
	})
}

// writeBeside runs write with a path beside out and then renames the result to out. With force it
// replaces what has the name, and inherits its permissions.
func writeBeside(out string, force bool, write func(path string) error) (err error) {
	disk := storage.OS()
	if resolved, err := filepath.EvalSymlinks(out); err == nil { // replace its target, not the link
		if out = resolved; !force {
			return &fs.PathError{Op: "create", Path: out, Err: fs.ErrExist}
		}
	}

	parent, base := filepath.Split(out)
	dir := filepath.Join(parent, "."+base+"."+rand.Text()[:8]+".tmp")
	if err := placing.MkdirFor(disk, dir, out); err != nil {
		return err
	}

	defer func() {
		left := os.RemoveAll(dir)
		if err == nil || errors.Is(err, cairn.ErrCommitted) {
			left = placing.Committed(left)
		}
		err = errors.Join(err, left)
	}()

	path := filepath.Join(dir, base)
	if err := write(path); err != nil {
		return placing.Uncommitted(err)
	}
	if err := copyPermissions(disk, path, out); err != nil {
		return err
	}

	if _, err := os.Lstat(out); err == nil && !force {
		return &fs.PathError{Op: "create", Path: out, Err: fs.ErrExist}
	}
	return placing.Replace(disk, path, out, true)
}

// copyPermissions gives a frame, which is a file or a directory of files, the permissions of the
// one that it will replace, durably. Until then nobody else can reach it.
func copyPermissions(disk storage.FS, frame, place string) error {
	model := place
	if info, err := os.Stat(place); err == nil && info.IsDir() {
		model = filepath.Join(place, "chunks.b2frame")
	}

	return filepath.WalkDir(frame, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			return errors.Join(placing.Inherit(disk, name, place), disk.SyncDir(name))
		}

		f, err := disk.OpenRW(name) // now, because it may become read-only
		if err != nil {
			return err
		}
		if err := placing.Inherit(disk, name, model); err != nil {
			return errors.Join(err, f.Close())
		}
		return errors.Join(f.Sync(), f.Close())
	})
}

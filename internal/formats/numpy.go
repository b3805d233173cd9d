package formats

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/parallel"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/npy"
)

func isNPY(p *Probe) bool { return strings.HasPrefix(string(p.Head), "\x93NUMPY") }

// isNPZ recognises an archive with .npy files, or an empty one by its name.
func isNPZ(p *Probe) bool {
	if !strings.HasPrefix(string(p.Head), "PK") {
		return false
	}
	if len(p.Entries) == 0 {
		return Extension(p.Name) == ".npz" || p.Name == "standard input"
	}
	return slices.ContainsFunc(p.Entries, func(name string) bool { return strings.HasSuffix(name, ".npy") })
}

func openNPY(_ context.Context, in *Input) (ndarray.Tree, error) {
	o := &npy.OpenOptions{Raw: in.Raw, Limits: in.Limits}
	open := func() (*npy.Array, error) { return npy.OpenReader(in.File, in.Size, o) }
	if in.Stream != nil {
		open = func() (*npy.Array, error) { return npy.OpenStream(in.Stream, o) }
	}

	a, err := open()
	if err != nil {
		return nil, err
	}
	return single{a, a}, nil
}

func openNPZ(_ context.Context, in *Input) (ndarray.Tree, error) {
	if in.Path == "" { // what is in a stream can be seen only now
		p, err := ProbeFile(in.Name, in.File, in.Size)
		if err != nil {
			return nil, err
		}
		if len(p.Entries) > 0 && !isNPZ(p) {
			return nil, fmt.Errorf("this is a zip archive without .npy files: %w", cairn.ErrUnsupported)
		}
	}

	z, err := npy.OpenArchiveReader(in.File, in.Size, &npy.OpenOptions{Verify: in.Verify, Limits: in.Limits})
	if err != nil {
		return nil, err
	}
	return z, nil
}

func createNPY(ctx context.Context, w *Writing) error {
	return w.one(func(out io.Writer, src ndarray.Source) error { return npy.Write(ctx, out, src, w.npyOptions(src)) })
}

func createRaw(ctx context.Context, w *Writing) error {
	return w.one(func(out io.Writer, src ndarray.Source) error {
		o := w.npyOptions(src)
		o.Raw = true
		return npy.Write(ctx, out, src, o)
	})
}

func createNPZ(ctx context.Context, w *Writing) error {
	return w.File(func(out io.Writer) error {
		o := w.npyOptions(nil)
		return npy.WriteArchive(ctx, out, func(put npy.PutFunc) error {
			for _, key := range w.Keys {
				o.Progress = w.follow()
				if err := w.putNPZ(key, put); err != nil {
					return OfKey(key, err)
				}
			}
			return nil
		}, o)
	})
}

// putNPZ writes an array to an archive.
func (w *Writing) putNPZ(key string, put npy.PutFunc) error {
	src, done, err := w.Open(key)
	if err != nil {
		return err
	}
	defer done()
	if key = strings.Trim(Key(key), "/"); key == "" {
		key = "arr_0" // as numpy.savez calls an array without a name
	}
	return put(key, src)
}

// npyOptions returns options for writing a source; nil stands for the members of an archive.
func (w *Writing) npyOptions(src ndarray.Source) *npy.SaveOptions {
	o := &npy.SaveOptions{Fortran: w.Fortran, Deflate: w.Deflate, Memory: minBudget, Progress: w.follow()}
	if src != nil {
		row := chunkRow(src)
		if parallel.Workers(w.Workers) > 1 && 2*row <= RowBudget {
			row *= 2 // one is decoded while another is written
		}
		o.Memory = max(Budget(src, w.Workers), row)
	}
	return o
}

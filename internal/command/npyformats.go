package command

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/command/internal/outfile"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/npy"
)

func isNPY(p *probe) bool { return strings.HasPrefix(string(p.head), "\x93NUMPY") }

// isNPZ recognises an archive with .npy files, or an empty one by its name.
func isNPZ(p *probe) bool {
	if !strings.HasPrefix(string(p.head), "PK") {
		return false
	}
	if len(p.entries) == 0 {
		return extensionOf(p.name) == ".npz" || p.name == "standard input"
	}
	return slices.ContainsFunc(p.entries, func(name string) bool { return strings.HasSuffix(name, ".npy") })
}

// An npyHolding is an .npy file, or a raw one.
type npyHolding struct{ *npy.Array }

func (npyHolding) keys() []string { return []string{""} }

func (h npyHolding) open(context.Context, string) (ndarray.Source, error) { return h.Array, nil }

func openNPY(_ context.Context, in *input) (holding, error) {
	o := &npy.OpenOptions{Raw: in.raw}
	open := func() (*npy.Array, error) { return npy.OpenReader(in.file, in.size, o) }
	if in.stream != nil {
		open = func() (*npy.Array, error) { return npy.OpenStream(in.stream, o) }
	}
	a, err := open()
	if err != nil {
		return nil, err
	}
	return npyHolding{a}, nil
}

func openRaw(ctx context.Context, in *input) (holding, error) { return openNPY(ctx, in) }

// An npzHolding is an .npz archive.
type npzHolding struct{ *npy.Archive }

func (h npzHolding) keys() []string { return h.Names() }

func (h npzHolding) open(_ context.Context, key string) (ndarray.Source, error) {
	a, err := h.Archive.Open(key)
	if err != nil {
		return nil, err
	}
	return a, nil
}

func openNPZ(_ context.Context, in *input) (holding, error) {
	if err := in.spool(); err != nil {
		return nil, err
	}
	if in.path == "" { // what is in a stream can be seen only now
		p, err := probeFile(in.name, in.file, in.size)
		if err != nil {
			return nil, err
		}
		if len(p.entries) > 0 && !isNPZ(p) {
			return nil, fmt.Errorf("this is a zip archive without .npy files: %w", cairn.ErrUnsupported)
		}
	}
	z, err := npy.OpenArchiveReader(in.file, in.size, &npy.OpenOptions{Verify: in.all})
	if err != nil {
		return nil, err
	}
	return npzHolding{z}, nil
}

func saveNPY(ctx context.Context, s *saving) error { return s.single(ctx, false) }

func saveRaw(ctx context.Context, s *saving) error { return s.single(ctx, true) }

// single writes the only array.
func (s *saving) single(ctx context.Context, raw bool) error {
	src, done, err := s.source(s.keys[0])
	if err != nil {
		return err
	}
	defer done()
	return s.write(ctx, func(w io.Writer) error {
		o := s.options(src)
		o.Raw = raw
		return npy.Write(ctx, w, src, o)
	})
}

func saveNPZ(ctx context.Context, s *saving) error {
	return s.write(ctx, func(w io.Writer) error {
		o := s.options(nil)
		return npy.WriteArchive(ctx, w, func(put npy.PutFunc) error {
			for _, key := range s.keys {
				if err := s.put(key, put); err != nil {
					return err
				}
			}
			return nil
		}, o)
	})
}

// put writes an array to an archive.
func (s *saving) put(key string, put npy.PutFunc) error {
	src, done, err := s.source(key)
	if err != nil {
		return err
	}
	defer done()
	if key = strings.Trim(key, "/"); key == "" {
		key = "arr_0" // as numpy.savez calls an array without a name
	}
	return put(key, src)
}

func (s *saving) options(src ndarray.Source) *npy.SaveOptions {
	o := &npy.SaveOptions{Fortran: s.fortran, Deflate: s.deflate, Memory: minBudget}
	if src != nil {
		o.Memory = max(transferBudget(src, s.workers), chunkRow(src))
	}
	var before int64
	o.Progress = func(done, _ int64) {
		if done <= before { // the next array
			before = 0
		}
		s.progress(done - before)
		before = done
	}
	return o
}

// write writes a file that appears only when it is complete, or standard output.
func (s *saving) write(ctx context.Context, write func(w io.Writer) error) error {
	if s.path == standardIO {
		return write(s.std.output(ctx))
	}
	f, err := outfile.Create(s.path, s.force)
	if err != nil {
		return err
	}
	if err := write(namedWriter{f, s.path}); err != nil {
		f.Abort()
		return err
	}
	return f.Commit()
}

package command

import (
	"context"
	"io"
	"strings"

	"github.com/cairn-go/cairn/internal/command/internal/names"
	"github.com/cairn-go/cairn/internal/command/internal/outfile"
	"github.com/cairn-go/cairn/internal/parallel"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/npy"
)

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
					return ofArray(key, err)
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
	if key = strings.Trim(names.Key(key), "/"); key == "" {
		key = "arr_0" // as numpy.savez calls an array without a name
	}
	return put(key, src)
}

func (s *saving) options(src ndarray.Source) *npy.SaveOptions {
	o := &npy.SaveOptions{Fortran: s.fortran, Deflate: s.deflate, Memory: minBudget}
	if src != nil {
		row := chunkRow(src)
		if parallel.Workers(s.workers) > 1 && 2*row <= rowBudget {
			row *= 2 // one is decoded while another is written
		}
		o.Memory = max(transferBudget(src, s.workers), row)
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

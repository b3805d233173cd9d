package command

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/cmd/internal/command/internal/names"
	"github.com/cairn-go/cairn/cmd/internal/command/internal/outfile"
	"github.com/cairn-go/cairn/cmd/internal/command/internal/progress"
	"github.com/cairn-go/cairn/internal/osfile"
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
	if err := s.std.checkSpace(s.path, bytesOf(src)); err != nil {
		return err
	}
	return s.write(ctx, func(w io.Writer) error {
		o := s.options(src)
		o.Raw = raw
		return npy.Write(ctx, w, src, o)
	})
}

func saveNPZ(ctx context.Context, s *saving) error {
	if !s.deflate {
		total := int64(0)
		for _, key := range s.keys {
			src, done, err := s.source(key)
			if err != nil {
				return err
			}
			total += bytesOf(src)
			if err := done(); err != nil {
				return err
			}
		}
		if err := s.std.checkSpace(s.path, total); err != nil {
			return err
		}
	}
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

// usualRatio is by how much a compressed output is smaller than its items before it is worth a word
// that it may not fit.
const usualRatio = 4

// checkSpace fails if an output of as many bytes, which are not compressed, cannot fit where it
// goes.
func (std *streams) checkSpace(out string, bytes int64) error {
	s, ok := spaceFor(out)
	if !ok || bytes <= s.Free || s.Compresses {
		return nil
	}
	return fmt.Errorf("%s would take %s, and %s are free there; choose a part with -s, another place, or a "+
		"compressed format: %w", out, progress.Size(bytes), progress.Size(s.Free), syscall.ENOSPC)
}

// noteSpace says so if an output will probably not fit where it goes: one that is compressed,
// unless the level says otherwise.
func (std *streams) noteSpace(out string, bytes int64, level int) {
	ratio, how := int64(usualRatio), "before compression"
	if level == chunk.Stored {
		ratio, how = 1, "and not compressed"
	}
	s, ok := spaceFor(out)
	if !ok || bytes/ratio <= s.Free || ratio == 1 && s.Compresses {
		return
	}
	std.complain(fmt.Sprintf("note: the items of %s are %s %s, and %s are free there", out, progress.Size(bytes), how,
		progress.Size(s.Free)))
}

// spaceFor returns the space where an output is written, or false if that is unknown or something
// else than a file system. What becomes an object of a bucket is a temporary file before.
func spaceFor(out string) (osfile.Space, bool) {
	name, _, _ := splitLeaf(out)
	switch {
	case name == standardIO:
		return osfile.Space{}, false
	case isBucket(name):
		return osfile.SpaceAt(os.TempDir())
	}
	info, err := os.Stat(name)
	switch {
	case err == nil && info.IsDir():
		return osfile.SpaceAt(name)
	case err == nil && !info.Mode().IsRegular():
		return osfile.Space{}, false // such as a pipe
	}
	if at, err := filepath.EvalSymlinks(name); err == nil {
		name = at
	}
	return osfile.SpaceAt(filepath.Dir(name))
}

package frame

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/frame/internal/format"
	"github.com/cairn-go/cairn/internal/placing"
	"github.com/cairn-go/cairn/internal/wire"
	"github.com/cairn-go/cairn/storage"
)

// open opens the frame. keep is its file if that is already open, or nil. Most frames are files, so
// it looks at what the path stands for only if no file could be opened. ctx ends requests to a
// bucket.
func (p *frameLocation) open(ctx context.Context, o *OpenOptions, keep storage.File) (*Frame, error) {
	if r := inBucket(p.fs, p.path, o.Limits); r != nil {
		f, err := openBucket(ctx, r, o)
		if err == nil || !errors.Is(err, fs.ErrNotExist) {
			return f, err
		}
		if f, err := openOnce(p.fs, p.path, false, o, keep); err == nil || !errors.Is(err, fs.ErrNotExist) {
			return f, err
		}
		return nil, err
	}

	f, err := p.openAs(false, o, keep)
	if err == nil {
		return f, nil
	}
	info, failed := p.fs.Stat(p.path)
	if errors.Is(failed, fs.ErrNotExist) && placing.Restore(p.fs, p.path) {
		if info, failed = p.fs.Stat(p.path); failed == nil && !info.Dir {
			return p.openAs(false, o, keep)
		}
	}

	switch {
	case failed != nil:
		return nil, failed
	case info.Dir:
		return p.openAs(true, o, keep)
	}
	return nil, err
}

// openAs opens a frame in a file, or in a directory.
func (p *frameLocation) openAs(dir bool, o *OpenOptions, keep storage.File) (*Frame, error) {
	name := p.path
	if dir {
		name += "/" + sparseIndex
	}
	return openRetrying(p.fs, name, o.Offset, func() (*Frame, error) { return openOnce(p.fs, p.path, dir, o, keep) })
}

// has reports whether the frame's files still have the state v.
func (p *frameLocation) has(ctx context.Context, v *state) (bool, error) {
	if v.mark == nil {
		return false, nil
	}
	if r := inBucket(p.fs, p.path, p.options.Limits); r != nil && v.mark.version != "" {
		at, err := r.Stat(ctx, r.Newest())
		return err == nil && at.Version == v.mark.version, err
	}

	name := p.path
	if v.head.Sparse() {
		name += "/" + sparseIndex
	}
	file, err := p.fs.Open(name)
	if err != nil {
		if info, failed := p.fs.Stat(p.path); failed == nil && info.Dir != (name != p.path) {
			return false, nil // a file has become a directory, or the reverse
		}
		return false, err
	}
	same, err := v.mark.of(file, p.options.Offset)
	return same, errors.Join(err, file.Close())
}

func openFiles(fsys storage.FS, path string, o *OpenOptions) (*Frame, error) {
	home := frameLocation{fs: fsys, path: path, options: *o}
	home.options.Sweep = false // only the first open sweeps
	f, err := home.open(contextOf(fsys), o, nil)
	if err == nil && o.Version == 0 {
		f.edit.location = &home
	}
	return f, err
}

// openOnce opens a frame in a directory or a file. keep is that file if it is already open,
// otherwise nil; openOnce never closes it.
func openOnce(fsys storage.FS, path string, dir bool, o *OpenOptions, keep storage.File) (*Frame, error) {
	e := newEnv(path, o)
	writes := o.Mode == ReadWrite
	if r, ok := fsys.(storage.Replacer); ok && writes {
		// Temporary files must be beside the file itself, not beside a symbolic link to it. If
		// links cannot be resolved, path is used as it is.
		if target, err := r.Resolve(path); err == nil {
			path = target
		}
	}

	name := path
	var src *sparse
	if dir {
		if o.Offset != 0 {
			return nil, fmt.Errorf("a directory at an Offset: %w", cairn.ErrUnsupported)
		}
		name = path + "/" + sparseIndex
		src = newSparse(fsys, path)
	}

	file := keep
	if file == nil {
		var err error
		if file, err = openFile(fsys, name, writes, o.Map && !dir); err != nil {
			if dir {
				err = notForeignDir(fsys, path, err)
			}
			return nil, err
		}
	}

	v, w, err := readFiles(fsys, path, file, name, src, e, o)
	if dir { // a sparse frame keeps no file open
		err = errors.Join(err, file.Close())
	}
	switch {
	case err != nil:
		if keep == nil && !dir {
			_ = file.Close() // nothing was written, so the first error suffices
		}
		return nil, err
	case writes || dir || keep != nil:
		return newFrame(v, w, nil), nil
	}
	return newFrame(v, nil, file.Close), nil
}

// readFiles reads the state of a frame from an open file of a name, or from the index file of src.
// It returns the writer too if o asks for one.
func readFiles(
	fsys storage.FS, path string, file storage.File, name string, src *sparse, e *env, o *OpenOptions,
) (*state, writer, error) {
	read := func() (*state, error) { return readState(file, e, o.Offset, src) }
	v, err := read()
	if err != nil || o.Mode != ReadWrite {
		return v, nil, err
	}

	if v, err = v.forWriting(file, name, read); err != nil {
		return nil, nil, err
	}
	w, err := v.openWriter(fsys, path, file, src, o.Sweep)
	return v, w, err
}

// openFile opens the file of a frame, or the index file of a sparse one. A commit replaces the
// index file as a whole, but opening it for writing tells whether the frame is writable.
func openFile(fsys storage.FS, name string, writes, mapped bool) (storage.File, error) {
	if writes {
		return fsys.OpenRW(name)
	}
	file, err := fsys.Open(name)
	if m, ok := file.(storage.Mapper); ok && mapped && err == nil {
		if file, err := m.Map(); err == nil {
			return file, nil
		}
	}
	return file, err
}

// openWriter returns the writer for an open frame, in file or in the directory of src.
func (v *state) openWriter(fsys storage.FS, path string, file storage.File, src *sparse, sweep bool) (writer, error) {
	if src != nil {
		files := newChunkFiles()
		_, err := files.followAll(v.index)
		if err == nil && sweep {
			err = errors.Join(sweepTemps(fsys, path), sweepChunks(src, files.used))
		}
		return &sparseWriter{fs: fsys, path: path, src: src, model: path + "/" + sparseIndex,
			files: files, foreign: map[int64]struct{}{}, former: map[int64]struct{}{},
			commits: v.env.Commits}, err
	}
	w := &contiguousWriter{fs: fsys, path: path, file: file, base: v.head.HeaderLen,
		end: v.head.FrameLen, tail: v.head.FrameLen, commits: v.env.Commits, space: newSpace(file, v.env.Commits)}
	err := v.lastInFile(file)
	if err == nil && sweep {
		err = w.sweepAround(v)
	}
	return w, err
}

// forWriting fails for frames that can only be read, and restores a header that was torn or has
// rotted. read reads the frame again.
func (v *state) forWriting(file storage.File, name string, read func() (*state, error)) (*state, error) {
	if v.head.Generation != format.Current {
		return nil, fmt.Errorf("frame of generation %v for writing: %w: copy it to a new one",
			v.head.Generation, cairn.ErrUnsupported)
	}
	var err error
	for n := 0; v.healed(); n++ {
		var c claim
		switch err = c.take(file, name); {
		case err == nil:
			return v.restore(file, &c, read)
		case !errors.Is(err, cairn.ErrConflict) || n == restoreAttempts:
			return nil, fmt.Errorf("restore the header: %w", err)
		}
		// Another handle is writing this header, so it will soon be complete.
		time.Sleep(restorePause)
		if v, err = read(); err != nil {
			return nil, err
		}
	}

	return v, nil
}

// lastInFile fails if another frame follows this one, because changes would overwrite it; C-Blosc2
// can put several frames into one file. Other bytes behind a frame are left from a writer that did
// not commit.
func (v *state) lastInFile(file storage.File) error {
	var next [1 + len(format.Magic)]byte
	if n, _ := file.ReadAt(next[:], v.head.FrameLen); n == len(next) &&
		next[0] == wire.TagFixArray|14 && string(next[1:]) == format.Magic {
		return fmt.Errorf("another frame begins behind this one, at %d: %w", v.head.FrameLen, cairn.ErrReadOnly)
	}
	return nil
}

// restore reads the frame again under the claim, and writes the header if it is still torn: no
// other handle is writing it then.
func (v *state) restore(file storage.File, c *claim, read func() (*state, error)) (*state, error) {
	v, err := read()
	if err == nil && v.healed() {
		if _, err = file.WriteAt(v.header(), 0); err == nil {
			err = file.Sync()
		}
		if err != nil {
			err = fmt.Errorf("restore the header: %w", err)
		}
	}
	return v, errors.Join(err, c.release())
}

// A header that another handle is writing is read again: restoreAttempts times, restorePause apart.
const (
	restoreAttempts = 100
	restorePause    = time.Millisecond
)

package frame

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"time"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/frame/internal/bucket"
	"github.com/cairn-go/cairn/frame/internal/format"
	"github.com/cairn-go/cairn/internal/placing"
	"github.com/cairn-go/cairn/storage"
)

// A handle shows the state that it was opened with, and its own changes, until Refresh is called.
// Refresh compares the header and the end of the trailer in the file with those that were read.

// Refresh updates the handle to the newest commit of other handles and processes, also those of
// C-Blosc2, and reports whether the state changed. It needs no lock. It reads the header and the
// end of the trailer, which takes some microseconds, and the rest only if those changed. It also
// notices when another file has replaced the frame's, as after a compaction. Earlier snapshots stay
// as they are.
//
// With staged changes, or for a frame in memory, Refresh does nothing. After an error the handle
// shows the same state as before. An error matching [cairn.ErrConflict] means that the path now has
// a frame of another kind. Refresh of a frame opened by [OpenReader] fails with
// [cairn.ErrUnsupported].
//
// With Locking, Refresh waits while a commit is published, or C-Blosc2 writes, until ctx ends, and
// then fails with an error matching [cairn.ErrLocked]. It does not wait for staged changes.
func (f *Frame) Refresh(ctx context.Context) (changed bool, err error) {
	e := &f.edit
	if err := e.mu.LockWithin(ctx); err != nil {
		return false, e.env.place(err)
	}
	defer e.mu.Unlock()
	switch {
	case e.env.closed.Load():
		err = fmt.Errorf("frame: %w", cairn.ErrClosed)
	case e.env.fixed:
		err = fmt.Errorf("frame: refresh of a reader of a fixed size: %w: open it again", cairn.ErrUnsupported)
	case e.failure != nil:
		err = e.checkWritable(ctx)
	default:
		err = ctx.Err()
	}
	if err != nil {
		return false, e.env.place(err)
	}

	// A frame in memory, an old version and a fresh frame have no newer state, and what is staged
	// belongs to the state that the handle shows.
	if e.location == nil || e.dirty || e.atomic || e.writer != nil && e.writer.fresh() {
		return false, nil
	}
	before := e.cur.Load()
	if e.lock != nil {
		if err := e.lock.Share(ctx); err != nil {
			return false, e.env.place(err)
		}
		defer func() { err = errors.Join(err, e.env.place(e.lock.Unshare())) }()
		if err := e.catchUp(); err != nil {
			return false, e.env.place(err)
		}
	}

	// catchUp goes by the counter of the lock, which not every writer increments.
	if now := e.cur.Load(); now == before {
		same, err := e.location.has(ctx, now)
		if err == nil && !same {
			err = e.reload(ctx)
		}
		if err != nil {
			return false, e.env.place(err)
		}
	}

	return e.cur.Load() != before, nil
}

// reload reads the frame again. The caller holds the mutex, and nothing is staged.
func (e *editor) reload(ctx context.Context) error {
	g, err := e.location.open(ctx, &e.location.options, e.sameFile())
	if err != nil {
		return err
	}
	if err := e.become(&g.edit); err != nil {
		return errors.Join(err, g.edit.closeAll())
	}
	return nil
}

// sameFile returns the open file of a frame opened for reading, if the path still refers to it, or
// nil.
func (e *editor) sameFile() storage.File {
	file, ok := e.committed.oneFile().(storage.Claimer)
	if !ok || e.writer != nil {
		return nil
	}
	if same, err := file.Is(e.location.path); err != nil || !same {
		return nil
	}
	return file
}

// A frameLocation holds what is needed to open a frame again.
type frameLocation struct {
	fs      storage.FS
	path    string
	options OpenOptions
}

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

// A mark identifies the state that a file holds: the header and the pointer to the commit record,
// which has the checksums of the rest. For frames of other writers, which have no such record, it
// is the header, the whole trailer, and the size and time of the file.
type mark struct {
	header  []byte
	end     int64 // length of the frame
	trailer []byte
	foreign bool
	stamp   fileStamp
	// of a frame in a bucket, instead of all others
	version string // of the root's object
	root    *bucket.Root
}

func (p *parts) mark() *mark {
	if p.rawHeader == nil {
		return nil // a frame that was not read from a file
	}
	m := &mark{header: p.rawHeader, end: p.head.FrameLen, trailer: p.rawTrailer, foreign: true, stamp: p.stamp}
	if len(m.header) > format.AtWitness && m.header[format.AtWitness] == format.Witness &&
		len(m.trailer) > format.PointerSize {
		_, _, _, ok := format.ParsePointer(m.trailer)
		m.foreign = !ok
	}
	if !m.foreign {
		m.trailer = bytes.Clone(m.trailer[len(m.trailer)-format.PointerSize:])
	}
	return m
}

// of reports whether the frame at an offset of a file has the mark.
func (m *mark) of(file storage.File, at int64) (bool, error) {
	if m.foreign {
		if now, err := stampOf(file); err != nil || now != m.stamp {
			return false, err
		}
	}
	b := make([]byte, max(len(m.header), len(m.trailer)))
	same, err := holds(file, b, at, m.header)
	if !same || err != nil {
		return false, err
	}
	return holds(file, b, at+m.end-int64(len(m.trailer)), m.trailer)
}

// holds reports whether a file has the bytes want at an offset.
func holds(file io.ReaderAt, buf []byte, at int64, want []byte) (bool, error) {
	n, err := file.ReadAt(buf[:len(want)], at)
	if n == len(want) || errors.Is(err, io.EOF) {
		err = nil
	}
	return bytes.Equal(buf[:n], want), err
}

// A fileStamp is the size and time of a file.
type fileStamp struct {
	size     int64
	modified time.Time // zero if unknown
}

func stampOf(file storage.File) (fileStamp, error) {
	if dated, ok := file.(interface{ Stat() (fs.FileInfo, error) }); ok {
		info, err := dated.Stat()
		if err != nil {
			return fileStamp{}, err
		}
		return fileStamp{info.Size(), info.ModTime()}, nil
	}
	size, err := file.Size()
	return fileStamp{size: size}, err
}

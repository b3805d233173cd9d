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
	"github.com/cairn-go/cairn/frame/internal/format"
	"github.com/cairn-go/cairn/internal/placing"
	"github.com/cairn-go/cairn/storage"
)

// A handle stays at the state that it was opened with, and its own changes, until it is asked to
// follow others. Refresh compares what the files have now with what the state was read from.

// Refresh brings the handle up to date with what other handles and processes committed, C-Blosc2's
// among them, and reports whether it shows another state now. It needs no lock: it reads the
// header and the end of the trailer, some microseconds, and the rest only if those changed; it
// notices as well that another file has taken the frame's name, as after a compaction. Views that
// were handed out before stay as they are.
//
// A handle with staged changes keeps its state until Commit or Rollback. Frames in memory have no
// other writers. After an error the handle shows what it did before: one that matches
// [cairn.ErrConflict] says that another kind of frame has the name now, and the frame of a reader,
// whose size the caller has stated, fails with [cairn.ErrUnsupported].
//
// With Locking, Refresh waits while a commit is published, or C-Blosc2 writes, until ctx ends, and
// then fails with an error matching [cairn.ErrLocked]. It does not wait for staged changes.
func (f *Frame) Refresh(ctx context.Context) (changed bool, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case f.env.closed.Load():
		err = fmt.Errorf("frame: %w", cairn.ErrClosed)
	case f.fixed:
		err = fmt.Errorf("frame: refresh of a reader of a fixed size: %w: open it again", cairn.ErrUnsupported)
	case f.poison != nil:
		err = f.ready(ctx)
	default:
		err = ctx.Err()
	}
	if err != nil {
		return false, f.env.place(err)
	}
	if f.home == nil || f.dirty || f.atomic || f.writer != nil && f.writer.fresh() {
		return false, nil
	}
	before := f.cur.Load()
	if f.lock != nil {
		if err := f.lock.Share(ctx); err != nil {
			return false, f.env.place(err)
		}
		defer func() { err = errors.Join(err, f.env.place(f.lock.Unshare())) }()
		if err := f.catchUp(); err != nil {
			return false, f.env.place(err)
		}
	}
	if now := f.cur.Load(); now == before {
		same, err := f.home.has(now)
		if err == nil && !same {
			err = f.reload()
		}
		if err != nil {
			return false, f.env.place(err)
		}
	}
	return f.cur.Load() != before, nil
}

// reload shows what is on disk now. The caller holds the mutex, and nothing is staged.
func (f *Frame) reload() error {
	g, err := f.home.open(&f.home.options, f.sameFile())
	if err != nil {
		return err
	}
	if err := f.become(g); err != nil {
		return errors.Join(err, g.shut())
	}
	return nil
}

// sameFile returns the open file of a frame that is only read, if it still has the frame's name.
func (f *Frame) sameFile() storage.File {
	file, ok := f.committed.source.file().(storage.Claimer)
	if !ok || f.writer != nil {
		return nil
	}
	if same, err := file.Is(f.home.path); err != nil || !same {
		return nil
	}
	return file
}

// A place is where a frame is found, and how.
type place struct {
	fs      storage.FS
	path    string
	options OpenOptions
}

// open opens the frame as it is now. keep is its file if that is open already, or nil.
func (p *place) open(o *OpenOptions, keep storage.File) (*Frame, error) {
	info, err := p.fs.Stat(p.path)
	if errors.Is(err, fs.ErrNotExist) && placing.Restore(p.fs, p.path) {
		info, err = p.fs.Stat(p.path)
	}
	if err != nil {
		return nil, err
	}
	name := p.path
	if info.Dir {
		name += "/" + sparseIndex
	}
	return steadily(p.fs, name, o.Offset, func() (*Frame, error) { return openOnce(p.fs, p.path, info.Dir, o, keep) })
}

// has reports whether the frame's files have what v was read from.
func (p *place) has(v *state) (bool, error) {
	if v.mark == nil {
		return false, nil
	}
	name := p.path
	if v.head.Sparse() {
		name += "/" + sparseIndex
	}
	file, err := p.fs.Open(name)
	if err != nil {
		if info, failed := p.fs.Stat(p.path); failed == nil && info.Dir != (name != p.path) {
			return false, nil // it is of the other layout now
		}
		return false, err
	}
	same, err := v.mark.of(file, p.options.Offset)
	return same, errors.Join(err, file.Close())
}

// A mark is what tells the state that a file holds from others: the header and the pointer to the
// commit record, which has the checksums of the rest. Frames that another writer left have no such
// record: of these it is the whole trailer, and what the system says of the file.
type mark struct {
	header  []byte
	end     int64 // of the frame, from where it begins
	trailer []byte
	foreign bool
	stamp   fileStamp
}

func (p *parts) mark() *mark {
	if p.rawHeader == nil {
		return nil // it is being made
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

// of reports whether a file, in which the frame begins at an offset, has the mark.
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

// holds reports whether a file has want at an offset.
func holds(file io.ReaderAt, buf []byte, at int64, want []byte) (bool, error) {
	n, err := file.ReadAt(buf[:len(want)], at)
	if n == len(want) || errors.Is(err, io.EOF) {
		err = nil
	}
	return bytes.Equal(buf[:n], want), err
}

// A fileStamp is what a system says of a file.
type fileStamp struct {
	size     int64
	modified time.Time // zero where nobody knows
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

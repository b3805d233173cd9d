package hdf5

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/hdf5/internal/format"
	"github.com/cairn-go/cairn/internal/inplace"
	"github.com/cairn-go/cairn/internal/naming"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/storage"
)

// AppendOptions are the options for appending to files, and for changing them. Nil and the zero
// value mean the defaults.
type AppendOptions struct {
	FS      storage.FS // file system of the path; nil means the operating system's
	Workers int        // goroutines that encode chunks; 0 means one per CPU
	Memory  int64      // bytes of items to hold at a time, but at least a chunk; 0 means 64 MiB
	Checked bool       // [Changer.Put] compares chunks as [CreateOptions] says
	Limits  cairn.Limits
	// Progress is called with the bytes of items of a call that are written, and their total.
	Progress func(done, total int64)
}

// An Appender appends to datasets of a file, along dimensions that are unlimited or may grow. What
// a commit has acknowledged survives any crash: whenever it happens, the HDF5 library opens the
// file and finds that. Its methods may be called concurrently, and wait for one another.
//
// Chunks and what leads to them are written behind the end of the file, and made durable. Then the
// headers of the datasets change, and a commit returns when that is durable. If these are few, such
// as a scale and four others, their parts that change are brought together in a sector, and one
// write changes all: a commit is there or not. Of more datasets some may have grown after a crash
// amid a commit, those that are dimension scales last, and the next Append completes it.
type Appender struct {
	mu     sync.Mutex
	name   string
	disk   *inplace.File
	file   *File
	grow   *format.GrowingFile
	o      AppendOptions
	end    int64 // of what is in the file
	used   int64 // the end of what was committed
	grown  map[int64]*growth
	order  []*growth               // in the order of their first change
	sector struct{ at, end int64 } // what is left of one that headers share
	wrote  bool                    // a commit
	failed error                   // why there may be no more commits, or nil
}

// Append opens a file to append to its datasets. o may be nil. The caller must call
// [Appender.Close] or [Appender.Abort]. While the file is open, others can read it, and only read
// it.
//
// Files are refused with an error that matches [cairn.ErrUnsupported], here or when it comes to a
// dataset, if their structures do not let a crash leave them whole.
func Append(path string, o *AppendOptions) (*Appender, error) { return openAppender("append", path, o) }

// openAppender opens a file for a call.
func openAppender(call, path string, o *AppendOptions) (*Appender, error) {
	a := &Appender{name: path, grown: map[int64]*growth{}}
	if o != nil {
		a.o = *o
	}
	if a.o.Memory < 0 || a.o.Workers < 0 {
		return nil, fmt.Errorf("hdf5 %s options: Memory is %d and Workers %d, must not be negative: %w", call, a.o.Memory,
			a.o.Workers, cairn.ErrBounds)
	}
	if a.o.Memory == 0 {
		a.o.Memory = defaultMemory
	}

	var err error
	if a.disk, err = inplace.Open(a.o.FS, path); err != nil {
		return nil, err
	}
	if err := a.open(); err != nil {
		return nil, errors.Join(naming.Call(call, path, err), a.disk.Close())
	}
	return a, nil
}

func (a *Appender) open() error {
	size, err := a.disk.Size()
	if err != nil {
		return err
	}
	if a.file, err = open(a.disk, size, a.name, &OpenOptions{Limits: a.o.Limits, NoCache: true}); err != nil {
		return err
	}
	if a.grow, err = a.file.format.In(context.Background()).Growing(); err != nil {
		return err
	}

	a.used = a.grow.End()
	a.end = a.used // what is behind it was never committed, unless a commit was begun
	done, err := a.redo(size)
	if err != nil || !done {
		return err
	}
	if err := a.file.Close(); err != nil {
		return err
	}
	return a.open()
}

// File returns the file as it was opened, for its groups and attributes, while the appender is
// open.
func (a *Appender) File() *File { return a.file }

// allocate returns the address of n bytes that nothing else has.
func (a *Appender) allocate(n int64) int64 {
	at := (a.end + 7) &^ 7
	a.end = at + n
	return at
}

// AppendRows appends the items of a source to a dataset along an axis. Their dtype must be that of
// the dataset, but for the order of bytes. After an error about reading or writing items there are
// no more commits.
func (a *Appender) AppendRows(ctx context.Context, key string, axis int, src ndarray.Source) error {
	return a.change(ctx, key, func(g *growth) error { return g.appendRows(ctx, axis, src) })
}

// Extend makes a dataset larger. Its new items are the fill value.
func (a *Appender) Extend(ctx context.Context, key string, shape ndarray.Shape) error {
	return a.change(ctx, key, func(g *growth) error {
		for i, n := range shape {
			if len(shape) != len(g.shape) || n < g.shape[i] {
				return fmt.Errorf("the shape %v does not grow to %v: %w", g.shape, shape, cairn.ErrBounds)
			}
		}
		if err := g.may(shape); err != nil {
			return err
		}
		g.shape = slices.Clone(shape)
		return nil
	})
}

// Shape returns the shape that a dataset has with the next commit.
func (a *Appender) Shape(ctx context.Context, key string) (shape ndarray.Shape, err error) {
	err = a.change(ctx, key, func(g *growth) error {
		shape = slices.Clone(g.shape)
		return nil
	})
	return shape, err
}

// change calls do for a dataset that grows.
func (a *Appender) change(ctx context.Context, key string, do func(g *growth) error) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.failed != nil {
		return a.failed
	}
	g, err := a.growth(ctx, key)
	if err == nil {
		err = do(g)
	}
	if err != nil {
		return fmt.Errorf("dataset %q: %w", keyOf(key), err)
	}
	return nil
}

// Commit makes what was appended durable, and lets readers see it. After an error there are no more
// commits.
func (a *Appender) Commit(ctx context.Context) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.commit(ctx)
}

func (a *Appender) commit(ctx context.Context) error {
	if a.failed != nil {
		return a.failed
	}
	if err := a.write(ctx); err != nil {
		a.failed = naming.Call("append", a.name, err)
	}
	return a.failed
}

// Close commits and closes the file.
func (a *Appender) Close() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	err := a.commit(context.Background())
	return errors.Join(err, a.close())
}

// Abort closes the file without a commit.
func (a *Appender) Abort() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.close()
}

func (a *Appender) close() error {
	var err error
	if a.failed == nil && a.wrote {
		err = a.trim()
	}
	a.failed = fmt.Errorf("append to %s: %w", a.name, cairn.ErrClosed)
	return errors.Join(err, a.file.Close(), a.disk.Close())
}

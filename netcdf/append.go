package netcdf

import (
	"context"
	"errors"
	"fmt"
	"path"
	"sync"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/hdf5"
	"github.com/cairn-go/cairn/internal/inplace"
	"github.com/cairn-go/cairn/internal/naming"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/storage"
)

// AppendOptions are the options for appending to files. Nil and the zero value mean the defaults.
type AppendOptions struct {
	FS      storage.FS // file system of the path; nil means the operating system's
	Workers int        // goroutines that encode chunks; 0 means one per CPU
	Memory  int64      // bytes of items to hold at a time; 0 means 64 MiB
	Limits  cairn.Limits
	// Progress is called with the bytes of items of a variable that are written, and their total.
	Progress func(done, total int64)
}

// An Appender appends to a file along its unlimited dimensions. What a commit has acknowledged
// survives any crash, and whoever opens the file finds the state of a commit. Only if more than
// about four variables of a NetCDF-4 file have the dimension, some may have grown after a crash
// amid a commit, and the others have the fill value until the next Append completes it
// ([hdf5.Appender]). Its methods may be called concurrently, and wait for one another.
type Appender struct {
	mu     sync.Mutex
	name   string
	in     growing
	o      CreateOptions
	staged bool
	failed error // why there may be no more commits, or nil
}

// A growing is a file to which is appended.
type growing interface {
	// appendRows writes items behind those of a variable, where no reader looks yet.
	appendRows(ctx context.Context, key string, src ndarray.Source, o *CreateOptions) error
	// commit makes them, and the fill values of other variables, what the file has.
	commit(ctx context.Context) error
	close() error
}

// Append opens a file to append to it. o may be nil. The caller must call [Appender.Close] or
// [Appender.Abort]. While the file is open, others can read it, and only read it.
//
// It fails with an error that matches [cairn.ErrUnsupported] for files without an unlimited
// dimension and those whose structures do not let a crash leave them whole, and with one that
// matches [cairn.ErrCorrupt] for files that are damaged or truncated.
func Append(path string, o *AppendOptions) (*Appender, error) {
	if o == nil {
		o = &AppendOptions{}
	}
	a := &Appender{name: path, o: CreateOptions{Memory: o.Memory, Progress: o.Progress}}
	if o.Memory < 0 {
		return nil, fmt.Errorf("netcdf append options: Memory is %d, must not be negative: %w", o.Memory, cairn.ErrBounds)
	}
	if o.Memory == 0 {
		a.o.Memory = defaultMemory
	}
	if err := o.Limits.Validate(); err != nil {
		return nil, fmt.Errorf("netcdf append options: %w", err)
	}

	var err error
	if a.in, err = growingOf(path, o); err != nil {
		return nil, err
	}
	return a, nil
}

// growingOf opens a file as what it is.
func growingOf(path string, o *AppendOptions) (growing, error) {
	file, err := inplace.Open(o.FS, path)
	if err != nil {
		return nil, err
	}
	var head [4]byte
	n, err := file.ReadAt(head[:], 0)
	if err == nil && isClassic(head[:n]) {
		g, err := growClassic(file, o.Limits)
		if err != nil {
			return nil, errors.Join(naming.Call("append", path, err), file.Close())
		}
		return g, nil
	}
	if err := file.Close(); err != nil {
		return nil, err
	}

	a, err := hdf5.Append(path, &hdf5.AppendOptions{FS: o.FS, Workers: o.Workers, Memory: o.Memory, Limits: o.Limits,
		Progress: o.Progress})
	if err != nil {
		return nil, err
	}
	g, err := grow4(context.Background(), a)
	if err != nil {
		return nil, errors.Join(naming.Call("append", path, err), a.Abort())
	}
	return g, nil
}

// AppendRows appends items to a variable, along its unlimited dimension, and does so for dimensions
// and types as [Writer.Put]. All variables with that dimension get as many items with the next
// commit: where none were appended, of the fill value. After an error about reading or writing
// items there are no more commits.
func (a *Appender) AppendRows(ctx context.Context, key string, src ndarray.Source) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.failed != nil {
		return a.failed
	}

	key = path.Join("/", key)
	err := a.in.appendRows(ctx, key, src, &a.o)
	if err == nil {
		a.staged = true
		return nil
	}
	err = fmt.Errorf("variable %q: %w", key, err)
	var partly *partlyError
	if errors.As(err, &partly) {
		a.failed = err
	}
	return err
}

// A partlyError is that of items of which some may be written.
type partlyError struct{ error }

func (e *partlyError) Unwrap() error { return e.error }

// Commit makes what was appended durable, and lets readers see it. After an error there are no more
// commits: the file has the state of this one or of the one before.
func (a *Appender) Commit(ctx context.Context) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.commit(ctx)
}

func (a *Appender) commit(ctx context.Context) error {
	if a.failed != nil || !a.staged {
		return a.failed
	}
	if err := a.in.commit(ctx); err != nil {
		a.failed = naming.Call("append", a.name, err)
		return a.failed
	}
	a.staged = false
	return nil
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
	a.failed = fmt.Errorf("append to %s: %w", a.name, cairn.ErrClosed)
	return a.in.close()
}

package netcdf

import (
	"context"
	"errors"
	"fmt"
	"path"
	"sync"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/hdf5"
	"github.com/cairn-go/cairn/internal/naming"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/storage"
)

// CreateOptions are the options for writing files.
type CreateOptions struct {
	Format Format // 0 means NetCDF4
	// Room is how many bytes are left free between the header of a classic file and its items, for
	// programs that add attributes to files later.
	Room int64

	// Dataset says how a variable of a NetCDF-4 file is stored: its Chunks, and their Filters. Nil,
	// for this function or what it returns, means whole, or if there are unlimited dimensions in
	// chunks of about 1 MiB.
	Dataset func(key string, v *Variable) *hdf5.DatasetOptions

	FS        storage.FS // file system of the path; nil means the operating system's
	Overwrite bool       // replace an existing file instead of failing
	Workers   int        // goroutines that encode chunks; 0 means one per CPU
	Memory    int64      // bytes of items to hold at a time; 0 means 64 MiB
	Checked   bool       // chunks are decoded and compared; see [hdf5.CreateOptions]
	// Progress is called with the bytes of items of a variable that are written, and their total.
	Progress func(done, total int64)
}

// defaultMemory is the value of CreateOptions.Memory that 0 stands for.
const defaultMemory = 64 << 20

// A Writer makes a file, which appears at its path when the writer is closed. Its methods may be
// called concurrently, and wait for one another.
type Writer struct {
	mu   sync.Mutex
	made container
	put  map[string]bool // variables that have their items
	o    CreateOptions
}

// A container is a file that is being made.
type container interface {
	begin(path string, o *CreateOptions) error
	// put writes the items of a variable. If it fails after it has begun to, finish fails too.
	put(ctx context.Context, key string, src ndarray.Source, o *CreateOptions) error
	// finish completes the content, for variables that lack items too.
	finish(lacks func(key string) bool) error
	commit() error
	abort() error
}

// Create begins a file that has what root describes: its dimensions, variables and attributes, as
// the root of an open [File] does. An attribute without a Type gets that of its value, which may be
// any Go number, a bool, a text, or a slice of numbers. The caller must not change root before the
// file is complete, and must call [Writer.Close] or [Writer.Abort].
//
// What the format cannot hold is refused with an error that matches [cairn.ErrUnsupported], before
// anything is written.
func Create(path string, root *Group, o *CreateOptions) (*Writer, error) {
	w := &Writer{put: map[string]bool{}}
	if o != nil {
		w.o = *o
	}
	if w.o.Memory < 0 || w.o.Room < 0 {
		return nil, fmt.Errorf("netcdf create options: Memory is %d and Room %d, must not be negative: %w", w.o.Memory,
			w.o.Room, cairn.ErrBounds)
	}
	if w.o.Memory == 0 {
		w.o.Memory = defaultMemory
	}

	var err error
	if w.o.Format == NetCDF4 || w.o.Format == 0 {
		w.made, err = plan4(root, &w.o)
	} else {
		w.made, err = planClassic(root, w.o.Format, w.o.Room)
	}
	if err != nil {
		return nil, naming.Call("create", path, err)
	}
	if err := w.made.begin(path, &w.o); err != nil {
		return nil, err
	}
	return w, nil
}

// Put writes all items of a variable, whose shape and type those of the source must be. Numbers may
// be of any byte order. Text of NumPy (S and U) is for a variable of chars with one dimension more,
// along which its bytes are, those of U in UTF-8; U is for a variable of strings, too. After an
// error about reading or writing items the file can only be aborted, and Close fails with the same
// error.
func (w *Writer) Put(ctx context.Context, key string, src ndarray.Source) error {
	w.mu.Lock()
	defer w.mu.Unlock()

	key = path.Join("/", key)
	err := w.made.put(ctx, key, src, &w.o)
	if err != nil {
		return fmt.Errorf("variable %q: %w", key, err)
	}
	w.put[key] = true
	return nil
}

// Close completes the file. Variables without items have their fill value.
func (w *Writer) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.made.finish(func(key string) bool { return !w.put[key] }); err != nil {
		return errors.Join(err, w.made.abort())
	}
	return w.made.commit()
}

// Abort removes what has been written.
func (w *Writer) Abort() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.made.abort()
}

package netcdf

import (
	"context"
	"errors"
	"fmt"
	"path"
	"sync"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/naming"
	"github.com/cairn-go/cairn/internal/placing"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/storage"
)

// CreateOptions are the options for writing files.
type CreateOptions struct {
	// Format is Classic, Offset64 or Data64; the others are not written yet.
	Format Format
	// Room is how many bytes are left free between the header of a classic file and its items, for
	// programs that add attributes to files later.
	Room int64

	FS        storage.FS // file system of the path; nil means the operating system's
	Overwrite bool       // replace an existing file instead of failing
	Memory    int64      // bytes of items to hold at a time; 0 means 64 MiB
	// Progress is called with the bytes of items of a variable that are written, and their total.
	Progress func(done, total int64)
}

// defaultMemory is the value of CreateOptions.Memory that 0 stands for.
const defaultMemory = 64 << 20

// A Writer makes a file, which appears at its path when the writer is closed. Its methods may be
// called concurrently, and wait for one another.
type Writer struct {
	mu     sync.Mutex
	file   *placing.Making
	made   *newClassic
	put    map[string]bool // variables that have their items
	failed error           // why items are missing, or nil
	o      CreateOptions
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
	if w.made, err = planClassic(root, w.o.Format, w.o.Room); err != nil {
		return nil, naming.Call("create", path, err)
	}
	if w.file, err = placing.Make(w.o.FS, path, w.o.Overwrite); err != nil {
		return nil, err
	}

	if err = w.made.begin(w.file); err != nil {
		return nil, errors.Join(naming.Call("create", path, err), w.file.Abort())
	}
	return w, nil
}

// Put writes all items of a variable, whose shape and type those of the source must be. Numbers may
// be of any byte order. Text of NumPy (S and U) is for a variable of chars with one dimension more,
// along which its bytes are, those of U in UTF-8. After an error about reading or writing items the
// file can only be aborted, and Close fails with the same error.
func (w *Writer) Put(ctx context.Context, key string, src ndarray.Source) error {
	w.mu.Lock()
	defer w.mu.Unlock()

	key = path.Join("/", key)
	in, err := w.made.input(key, src)
	if err != nil {
		return fmt.Errorf("variable %q: %w", key, err)
	}

	err = in.copy(ctx, w.file, w.o.Memory, w.o.Progress)
	if err != nil {
		err = fmt.Errorf("variable %q: %w", key, err)
		w.failed = errors.Join(w.failed, err)
		return err
	}
	w.put[key] = true
	return nil
}

// Close completes the file. Variables without items have their fill value.
func (w *Writer) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	err := w.failed
	if err == nil {
		err = w.made.fill(w.file, func(key string) bool { return !w.put[key] })
	}
	if err != nil {
		return errors.Join(err, w.file.Abort())
	}
	return w.file.Commit()
}

// Abort removes what has been written.
func (w *Writer) Abort() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.file.Abort()
}

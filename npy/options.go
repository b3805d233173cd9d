package npy

import (
	"cmp"
	"fmt"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/storage"
)

// OpenOptions are the options for opening files. Nil and the zero value mean the defaults.
type OpenOptions struct {
	FS storage.FS // file system of the path; nil means the operating system's

	// Map maps the file into memory instead of reading it with system calls. It has no effect for
	// files that cannot be mapped. The file must not become shorter while it is open: if that
	// happens during a read, the process is killed (SIGBUS).
	Map bool

	// Raw describes a file that has no header, only items. It must have exactly as many as the
	// shape says, while a stream may go on behind them.
	Raw *Header

	// Verify compares the checksum of an uncompressed member of an archive when it is first opened,
	// which reads all of it. Checksums of compressed members are always compared once the last item
	// was read. Files outside of archives have none.
	Verify bool

	// MaxHeader bounds the bytes of a header, which are at most 1 MiB anyway, and MaxAlloc what is
	// kept of a compressed member.
	Limits cairn.Limits
}

func (o *OpenOptions) orDefault() (*OpenOptions, error) {
	o = cmp.Or(o, &OpenOptions{})
	if err := o.Limits.Validate(); err != nil {
		return nil, fmt.Errorf("npy open options: %w", err)
	}
	if o.Raw == nil {
		return o, nil
	}

	for _, n := range o.Raw.Shape {
		if n < 0 {
			return nil, fmt.Errorf("npy open options: Raw has the shape %v: %w", o.Raw.Shape, cairn.ErrBounds)
		}
	}
	if err := checkSize(o.Raw, -1); err != nil {
		return nil, fmt.Errorf("npy open options: Raw: %w", err)
	}
	return o, nil
}

// SaveOptions are the options for writing files. Nil and the zero value mean the defaults.
type SaveOptions struct {
	FS        storage.FS // file system of the path; nil means the operating system's
	Overwrite bool       // replace an existing file instead of failing

	Fortran bool // store the first index running fastest
	Raw     bool // write the items without a header
	Deflate bool // compress the members of an archive, as numpy.savez_compressed does

	// Memory is how many bytes of items are held at a time, but at least one item; 0 means 64 MiB.
	// In Fortran order twice as much is needed.
	Memory int64

	// Progress is called with the bytes of items that are written and their total; in an archive,
	// of the array that is being written.
	Progress func(done, total int64)
}

// defaultMemory is the value of SaveOptions.Memory that 0 stands for.
const defaultMemory = 64 << 20

func (o *SaveOptions) orDefault() (*SaveOptions, error) {
	o = cmp.Or(o, &SaveOptions{})
	if o.Memory < 0 {
		return nil, fmt.Errorf("npy save options: Memory is %d, must not be negative: %w", o.Memory, cairn.ErrBounds)
	}
	return o, nil
}

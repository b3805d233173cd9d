package frame

import (
	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/internal/inside"
	"github.com/cairn-go/cairn/storage"
)

// contiguous is the source of a frame in one file: entries are offsets from the end of the header.
type contiguous struct {
	file storage.File
	base int64 // where in the file the data section begins
	seen *checked
	id   identity
}

func newContiguous(file storage.File, base int64) *contiguous {
	return &contiguous{file: file, base: base, seen: &checked{}}
}

func (c *contiguous) checked() *checked { return c.seen }

func (c *contiguous) self() *identity { return &c.id }

func (c *contiguous) offset(entry int64) int64 { return c.base + entry }

// check wants at least a chunk header's worth of data behind the entry, as C-Blosc2 does.
func (c *contiguous) check(entry, extent int64) error {
	if entry > extent-chunk.HeaderSize {
		return cairn.Corruptf("chunk", -1, "begins at %d of %d bytes of chunks", entry, extent)
	}
	return nil
}

func (c *contiguous) open(entry, extent int64) (span, error) {
	if err := c.check(entry, extent); err != nil {
		return span{}, err
	}
	return span{Lease: inside.Lease{File: c.file, Owner: c}, at: c.base + entry, limit: extent - entry}, nil
}

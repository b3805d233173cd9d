package frame

import (
	"encoding/binary"
	"fmt"
	"runtime"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/frame/internal/format"
	"github.com/cairn-go/cairn/internal/inside"
	"github.com/cairn-go/cairn/internal/wire"
	"github.com/cairn-go/cairn/storage"
)

// contiguous is the source of a frame in one file: entries are offsets from the end of the header.
type contiguous struct {
	chunks book
	file   storage.File
	base   int64 // where in the file the data section begins
}

func newContiguous(file storage.File, base int64) *contiguous {
	c := &contiguous{file: file, base: base}
	c.chunks.lends = lends(file)
	if far, ok := file.(loader); ok {
		c.chunks.requests = far.Requests()
	}
	return c
}

// oneFile returns the file that has all chunks of v, or nil if each has its own.
func (v *state) oneFile() storage.File {
	c, ok := v.source.(*contiguous)
	if !ok {
		return nil
	}
	return c.file
}

func (c *contiguous) book() *book { return &c.chunks }

func (c *contiguous) place(entry int64) place { return place{offset: c.base + entry} }

// check requires that the data section has room for a chunk header at the entry, as C-Blosc2 does.
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

func (c *contiguous) survey(v *findings) (err error) {
	v.report.Overlap = overlaps(v.extents)
	v.report.Dead = deadBytes(v.extents, v.damaged, c.base, c.base+v.head.CBytes)
	// otherwise the frame is embedded in a file, and bytes behind it are not its own
	if c.base == v.head.HeaderLen {
		var size int64
		size, err = c.file.Size()
		v.report.Tail = max(0, size-v.head.FrameLen)
	}
	return err
}

// retire arranges that the file is closed once no state refers to it.
func (c *contiguous) retire() *retiredFile {
	r := &retiredFile{file: c.file}
	runtime.AddCleanup(c, func(r *retiredFile) {
		_ = r.close() // nothing was written since the last sync
	}, r)
	return r
}

// currentHeader reads the header that is about to be replaced. It fails with ErrConflict if this is
// not the header of the committed state.
func currentHeader(file storage.File, committed *state) ([]byte, error) {
	b, err := wire.ReadFull(file, nil, 0, committed.head.HeaderLen)
	if err != nil {
		return nil, wire.Missing(err, format.LayerHeader, 0)
	}
	length := int64(binary.BigEndian.Uint64(b[format.AtFrameLen:]))
	nbytes := int64(binary.BigEndian.Uint64(b[format.AtNBytes:]))
	if length != committed.head.FrameLen || nbytes != committed.head.NBytes ||
		b[format.AtWitness] != committed.head.Witness {
		return nil, fmt.Errorf("the frame on disk has changed to %d bytes for %d of data, from %d for %d: %w",
			length, nbytes, committed.head.FrameLen, committed.head.NBytes, cairn.ErrConflict)
	}
	return b, nil
}

// header returns the bytes of the frame's header.
func (v *state) header() []byte { return v.head.Append(nil, v.layers, len(v.vl) > 0) }

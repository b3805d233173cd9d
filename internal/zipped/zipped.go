// Package zipped opens zip archives of arrays, whose members are read in place.
package zipped

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"

	"github.com/cairn-go/cairn"
)

// Layer is the layer of damage in archives.
const Layer = "zip archive"

// The end of an archive's directory: the signature PK\5\6, disks, then the number of members on
// this disk and in all, and the size of the directory. If a number does not fit, all its bits are
// set, and a record before it has it in 64 bits.
const (
	endBytes    = 22
	mostComment = 1<<16 - 1 // bytes of the comment of an archive
	atSize      = 12

	memberBytes = 400 // that a member takes in memory, besides its name
	memberLeast = 46  // bytes of a member in the directory
	metaShare   = 8   // times the limit for metadata the directory may take in memory
)

// Open reads the directory of an archive of size bytes, unless it might take more memory than the
// limits allow. Members may have any names.
func Open(r io.ReaderAt, size int64, l cairn.Limits) (*zip.Reader, error) {
	tail := make([]byte, min(size, endBytes+mostComment))
	if n, err := r.ReadAt(tail, size-int64(len(tail))); n < len(tail) {
		return nil, Wrap(err)
	}

	at := bytes.LastIndex(tail, []byte("PK\x05\x06"))
	if at < 0 || len(tail)-at < endBytes {
		return nil, cairn.Corruptf(Layer, -1, "the end of the directory is missing")
	}

	dir := int64(binary.LittleEndian.Uint32(tail[at+atSize:]))
	if dir == 1<<32-1 {
		dir = size
	}
	if dir = min(dir, size); dir/memberLeast*memberBytes > l.WithDefaults().MaxMeta*metaShare {
		return nil, fmt.Errorf("zip archive with a directory of %d bytes: %w", dir, cairn.ErrLimit)
	}

	z, err := zip.NewReader(within{r}, size)
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) {
		return nil, Wrap(err)
	}
	return z, nil
}

// A within reads an archive, whose directory may say that a member lies before the beginning. What
// readers say of such places is an error of the caller's, but here it is one of the archive.
type within struct{ io.ReaderAt }

// ReadAt reads from a place in the archive.
func (w within) ReadAt(p []byte, off int64) (int, error) {
	if off < 0 {
		return 0, zip.ErrFormat
	}
	return w.ReaderAt.ReadAt(p, off)
}

// Wrap returns an error of package zip as one of this module, and others as they are.
func Wrap(err error) error {
	var inflated flate.CorruptInputError
	switch {
	case errors.Is(err, zip.ErrChecksum):
		return fmt.Errorf("member of a zip archive: %w", cairn.ErrChecksum)
	case errors.Is(err, zip.ErrFormat), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF),
		errors.As(err, &inflated):
		return &cairn.CorruptError{Layer: Layer, Chunk: -1, Offset: -1, Reason: "cannot be read", Err: err}
	}
	return err
}

// Content returns the content of a member that is stored without compression.
func Content(r io.ReaderAt, size int64, f *zip.File) (*io.SectionReader, error) {
	from, err := f.DataOffset()
	if err != nil {
		return nil, Wrap(err)
	}

	n := f.CompressedSize64
	switch {
	case n != f.UncompressedSize64:
		return nil, cairn.Corruptf(Layer, from, "%s of %d bytes is stored in %d", f.Name, f.UncompressedSize64, n)
	case from > size || n > uint64(size-from):
		return nil, cairn.Corruptf(Layer, from, "%s, of %d bytes, goes beyond the end", f.Name, n)
	}
	return io.NewSectionReader(r, from, int64(n)), nil
}

// Check compares the content of a member with its CRC-32.
func Check(f *zip.File, content *io.SectionReader) error {
	sum := crc32.NewIEEE()
	if _, err := io.Copy(sum, io.NewSectionReader(content, 0, content.Size())); err != nil {
		return err
	}
	return Compare(f, sum.Sum32())
}

// Compare compares a CRC-32 with that of a member.
func Compare(f *zip.File, sum uint32) error {
	if sum == f.CRC32 {
		return nil
	}
	return fmt.Errorf("member %s of the zip archive: %w", f.Name, cairn.ErrChecksum)
}

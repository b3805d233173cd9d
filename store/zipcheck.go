package store

import (
	"archive/zip"
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"slices"
	"sync"

	"github.com/cairn-go/cairn"
)

// A zipCheck checks whether the records of an archive agree with each other. Everything outside the
// directory is recorded twice or has a checksum, so accidental changes are found.
type zipCheck struct {
	archive io.ReaderAt
	faults  []error
	members []checkedMember // in the order of the directory
	last    map[string]int  // index of the last member of each name

	mu sync.Mutex
}

// A checkedMember is a member and what was found out about it.
type checkedMember struct {
	record
	from  int64 // offset of its data
	fault error // the first fault in its records

	// Set once its data has been read; protected by zipCheck.mu:
	summed bool
	wrong  error
}

const maxFaults = 100

func (c *zipCheck) fault(err error) {
	if err != nil && len(c.faults) < maxFaults {
		c.faults = append(c.faults, err)
	}
}

// markBad records a fault of a member.
func (c *zipCheck) markBad(m *checkedMember, format string, args ...any) {
	err := cairn.Corruptf("archive", int64(m.header), "member %q: %s", m.name, fmt.Sprintf(format, args...))
	if m.fault == nil {
		m.fault = err
	}
	c.fault(err)
}

// checkZip reads all records of an archive, but no member data. The error is one of the storage.
func checkZip(ctx context.Context, r io.ReaderAt, size int64, z *zip.Reader) (*zipCheck, error) {
	c := &zipCheck{archive: r, last: map[string]int{}}
	check := func() error {
		end, err := readEnding(r, size, len(z.Comment))
		if err != nil {
			return err
		}
		if err := c.readDirectory(end, z); err != nil {
			return err
		}
		return c.checkGaps(ctx, int64(end.from))
	}

	err := check()
	if errors.Is(err, cairn.ErrCorrupt) {
		c.fault(err)
		return c, nil
	}
	return c, err
}

// readDirectory reads the directory, which must occupy exactly the range that the ending states.
func (c *zipCheck) readDirectory(end *ending, z *zip.Reader) error {
	if end.from > uint64(end.at) || end.len != uint64(end.at)-end.from {
		return cairn.Corruptf("archive", end.at, "a directory of %d bytes at %d does not end here", end.len, end.from)
	}
	if end.records != uint64(len(z.File)) {
		return cairn.Corruptf("archive", end.at, "%d members are listed, and %d counted", len(z.File), end.records)
	}

	c.members = make([]checkedMember, len(z.File))
	at := int64(end.from)
	r := bufio.NewReader(io.NewSectionReader(c.archive, at, int64(end.len)))

	for i, f := range z.File {
		rec, err := readDirectoryRecord(r)
		if err != nil {
			return &cairn.CorruptError{Layer: "archive", Chunk: -1, Offset: at, Reason: "directory", Err: err}
		}
		if !rec.is(f) {
			return cairn.Corruptf("archive", at, "the record of %q is ambiguous", f.Name)
		}

		at += rec.length
		c.members[i].record = *rec
		c.last[rec.name] = i
	}

	if at != end.at {
		return cairn.Corruptf("archive", at, "%d bytes between the directory and the end belong to nothing", end.at-at)
	}
	return nil
}

// is reports whether a record agrees with what archive/zip read.
func (rec *record) is(f *zip.File) bool {
	return rec.name == f.Name && rec.method == f.Method && rec.crc == f.CRC32 &&
		rec.packed == f.CompressedSize64 && rec.size == f.UncompressedSize64
}

// checkGaps checks that the members lie back to back from the beginning of the file to the
// directory.
func (c *zipCheck) checkGaps(ctx context.Context, directory int64) error {
	order := make([]*checkedMember, len(c.members))
	for i := range c.members {
		order[i] = &c.members[i]
	}
	slices.SortStableFunc(order, func(a, b *checkedMember) int { return cmp.Compare(a.header, b.header) })

	at := int64(0)
	for _, m := range order {
		if err := ctx.Err(); err != nil {
			return err
		}
		if m.header > uint64(directory) {
			c.markBad(m, "begins behind the directory, which is at %d", directory)
			continue
		}

		if begin := int64(m.header); begin < at {
			c.markBad(m, "shares bytes with the member before it, which ends at %d", at)
		} else if begin > at {
			c.fault(cairn.Corruptf("archive", at, "%d bytes belong to no member", begin-at))
		}

		end, err := c.checkLocal(m, directory)
		if err != nil {
			return err
		}
		at = max(at, end)
	}

	if at < directory {
		c.fault(cairn.Corruptf("archive", at, "%d bytes belong to no member", directory-at))
	}
	return nil
}

// checkLocal compares a member's directory record with its local header and its data descriptor,
// and returns where the member ends.
func (c *zipCheck) checkLocal(m *checkedMember, directory int64) (int64, error) {
	begin := int64(m.header)
	local, err := readLocalRecord(c.archive, begin)
	if err != nil {
		c.markBad(m, "%v", err)
		return begin, nil
	}

	m.from = begin + local.length
	room := directory - m.from
	switch what := m.differs(local); {
	case room < 0 || m.packed > uint64(room):
		c.markBad(m, "has %d bytes from %d on, but the directory is at %d", m.packed, m.from, directory)
		return begin, nil
	case what != "":
		c.markBad(m, "the local header states another %s than the directory", what)
	case m.method == zip.Store && m.packed != m.size:
		c.markBad(m, "has %d bytes, and is stored in %d", m.size, m.packed)
	}

	end := m.from + int64(m.packed)
	if m.flags&sizesBehind == 0 {
		return end, nil
	}

	behind, err := m.descriptor(c.archive, end)
	if err == nil && behind == 0 && (local.packed != m.packed || local.crc != m.crc) {
		c.markBad(m, "it has no data descriptor that agrees with the directory")
	}
	return end + behind, err
}

// sum compares the data of a member with its CRC-32, once. Compressed members are not checked,
// since nothing reads them.
func (c *zipCheck) sum(ctx context.Context, m *checkedMember) error {
	if m.fault != nil || m.method != zip.Store {
		return m.fault
	}

	c.mu.Lock()
	defer c.mu.Unlock()
	if m.summed {
		return m.wrong
	}

	sum, err := c.crc(ctx, m)
	if err != nil {
		return err
	}

	m.summed = true
	if sum != m.crc {
		m.wrong = &cairn.CorruptError{Layer: "archive", Chunk: -1, Offset: m.from,
			Reason: fmt.Sprintf("member %q", m.name), Err: cairn.ErrChecksum}
	}
	return m.wrong
}

func (c *zipCheck) crc(ctx context.Context, m *checkedMember) (uint32, error) {
	sum := crc32.NewIEEE()
	buf := make([]byte, min(m.size, 1<<18))
	for at := int64(0); at < int64(m.size); {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		n := min(int64(len(buf)), int64(m.size)-at)
		if _, err := c.archive.ReadAt(buf[:n], m.from+at); err != nil && !errors.Is(err, io.EOF) {
			return 0, err
		}
		sum.Write(buf[:n])
		at += n
	}
	return sum.Sum32(), nil
}

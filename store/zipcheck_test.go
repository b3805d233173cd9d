package store

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/ndarray"
)

// soundArchives are archives of the members of dict.b2z in the variants that different programs
// write.
func soundArchives(t *testing.T) map[string][]byte {
	leaf, embed := goldenMember(t, "dict.b2z", "a.b2nd"), goldenMember(t, "dict.b2z", embedName)
	archives := map[string][]byte{}
	pack := func(name string, add func(z *zip.Writer) error) {
		var b bytes.Buffer
		z := zip.NewWriter(&b)
		check(t, add(z), z.Close())
		archives[name] = b.Bytes()
	}
	stored := func(z *zip.Writer, name string, data []byte) error { return writeMember(z, name, data, zip.Store) }
	raw := func(z *zip.Writer, h *zip.FileHeader, data []byte) error {
		n := uint64(len(data))
		h.CRC32, h.CompressedSize64, h.UncompressedSize64 = crc32.ChecksumIEEE(data), n, n
		w, err := z.CreateRaw(h)
		if err == nil {
			_, err = w.Write(data)
		}
		return err
	}
	pack("sizes behind", func(z *zip.Writer) error {
		return errors.Join(stored(z, embedName, embed), stored(z, "g/a.b2nd", leaf), stored(z, "empty.txt", nil))
	})
	pack("sizes in front, a folder, a comment", func(z *zip.Writer) error {
		return errors.Join(z.SetComment("a comment"), raw(z, &zip.FileHeader{Name: "g/"}, nil),
			raw(z, &zip.FileHeader{Name: embedName, Comment: "another"}, embed),
			raw(z, &zip.FileHeader{Name: "g/ä.b2nd", Flags: nameIsUTF8, Extra: []byte("UT\x01\x00x")}, leaf))
	})
	pack("a text that is compressed, a name twice", func(z *zip.Writer) error {
		return errors.Join(writeMember(z, "README", bytes.Repeat([]byte("text"), 100), zip.Deflate),
			stored(z, embedName, embed), stored(z, "a.b2nd", leaf[:9]), stored(z, "a.b2nd", leaf))
	})
	pack("a directory in another order", func(z *zip.Writer) error {
		return errors.Join(stored(z, "a.b2nd", leaf), stored(z, embedName, embed))
	})
	archives["a directory in another order"] = turnDirectory(archives["a directory in another order"])
	archives["sizes behind without a mark"] = unmarked(t, embed, 4)
	archives["sizes of 64 bits behind"] = unmarked(t, embed, 8)
	archives["ends of 64 bits"] = withWideEnd(archives["sizes behind"])
	archives["sizes of 64 bits"] = wideMember(t, embed)
	return archives
}

// withWideEnd adds the ZIP64 end records to an archive.
func withWideEnd(b []byte) []byte {
	le := binary.LittleEndian
	at := len(b) - endLen
	records, length, from := le.Uint16(b[at+10:]), le.Uint32(b[at+12:]), le.Uint32(b[at+16:])
	end := le.AppendUint64(le.AppendUint32(nil, end64Mark), end64Len-12)
	end = append(end, 45, 0, 45, 0, 0, 0, 0, 0, 0, 0, 0, 0)
	end = le.AppendUint64(le.AppendUint64(end, uint64(records)), uint64(records))
	end = le.AppendUint64(le.AppendUint64(end, uint64(length)), uint64(from))
	loc := le.AppendUint64(append(le.AppendUint32(nil, locatorMark), 0, 0, 0, 0), uint64(at))
	out := append(append(bytes.Clone(b[:at]), end...), le.AppendUint32(loc, 1)...)
	narrow := bytes.Clone(b[at:])
	le.PutUint32(narrow[8:], math.MaxUint32)
	le.PutUint32(narrow[16:], math.MaxUint32)
	return append(out, narrow...)
}

// wideMember returns an archive of one member whose sizes are in the ZIP64 extra field of its local
// header, like Python's force_zip64.
func wideMember(t *testing.T, data []byte) []byte {
	le := binary.LittleEndian
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	n := uint64(len(data))
	extra := le.AppendUint64(le.AppendUint64([]byte{1, 0, 16, 0}, n), n)
	w, err := z.CreateRaw(&zip.FileHeader{Name: embedName, CRC32: crc32.ChecksumIEEE(data),
		CompressedSize64: n, UncompressedSize64: n, Extra: extra})
	check(t, err)
	_, err = w.Write(data)
	check(t, err, z.Close())
	le.PutUint64(b.Bytes()[18:], math.MaxUint64)
	return b.Bytes()
}

// turnDirectory reverses the directory of an archive of two members.
func turnDirectory(b []byte) []byte {
	begin, second, end := bytes.Index(b, []byte("PK\x01\x02")), bytes.LastIndex(b, []byte("PK\x01\x02")), len(b)-endLen
	return slices.Concat(b[:begin], b[second:end], b[begin:second], b[end:])
}

// unmarked returns an archive of one member with a data descriptor without signature, whose sizes
// have width bytes.
func unmarked(t *testing.T, data []byte, width int) []byte {
	le := binary.LittleEndian
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	n := uint64(len(data))
	w, err := z.CreateRaw(&zip.FileHeader{Name: embedName, Flags: sizesBehind, CRC32: crc32.ChecksumIEEE(data),
		CompressedSize64: n, UncompressedSize64: n})
	check(t, err)
	_, err = w.Write(data)
	check(t, err, z.Close())
	at := localLen + len(embedName) + len(data)
	behind := le.AppendUint32(nil, crc32.ChecksumIEEE(data))
	for range 2 {
		behind = append(behind, le.AppendUint64(nil, n)[:width]...)
	}
	written := bytes.Index(b.Bytes(), []byte("PK\x01\x02"))
	out := slices.Concat(b.Bytes()[:at], behind, b.Bytes()[written:])
	le.PutUint32(out[len(out)-endLen+16:], uint32(at+len(behind)))
	return out
}

// TestSoundArchives verifies archives of different writers.
func TestSoundArchives(t *testing.T) {
	for name, data := range soundArchives(t) {
		s, err := openBytes(data)
		check(t, err)
		if err := verified(t.Context(), s, 0); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		check(t, s.Close())
	}
	data, err := os.ReadFile("testdata/tree.b2d.zip")
	check(t, err)
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	check(t, err)
	c, err := checkZip(t.Context(), bytes.NewReader(data), int64(len(data)), z)
	if err != nil || len(c.faults) > 0 || len(c.members) < 5 {
		t.Errorf("%d members: %v, %v", len(c.members), err, c.faults)
	}
}

// TestContradictoryArchives modifies an archive such that it still opens but must not
// verify.
func TestContradictoryArchives(t *testing.T) {
	leaf := goldenMember(t, "dict.b2z", "a.b2nd")
	sound := archiveOf(t, leaf, "a.b2nd", "g/b.b2nd")
	begin := bytes.Index(sound, []byte("PK\x01\x02"))
	le := binary.LittleEndian
	for name, c := range map[string]struct {
		change func(b []byte) []byte
		want   string
	}{
		"bytes behind the end": {func(b []byte) []byte { return append(b, "more"...) }, "bytes behind the end"},
		"bytes between": {func(b []byte) []byte {
			b = slices.Insert(b, begin, []byte("more")...)
			le.PutUint32(b[len(b)-endLen+16:], uint32(begin+4))
			return b
		}, "4 bytes belong to no member"},
		"another local name": {func(b []byte) []byte {
			b[bytes.Index(b, []byte("a.b2nd"))] = 'c'
			return b
		}, "another name"},
		"another name in the directory": {func(b []byte) []byte {
			b[begin+bytes.Index(b[begin:], []byte("a.b2nd"))] = 'c'
			return b
		}, "another name"},
		"a newer version": {func(b []byte) []byte {
			b[begin+6] = newestVersion + 1
			return b
		}, "needs version 6.4"},
		"a part of the extra field that is longer": {func(b []byte) []byte {
			at := begin + directoryLen + len("a.b2nd")
			b = slices.Insert(b, at, 'U', 'T', 1, 0)
			le.PutUint16(b[begin+30:], 4)
			le.PutUint32(b[len(b)-endLen+12:], le.Uint32(b[len(b)-endLen+12:])+4)
			return b
		}, "longer than the field"},
		"a leaf that says to be compressed": {func(b []byte) []byte {
			at := begin + bytes.Index(b[begin:], []byte("a.b2nd")) - directoryLen
			le.PutUint16(b[at+10:], zip.Deflate)
			return b
		}, "another method"},
		"two members that share their bytes": {func(b []byte) []byte {
			at := begin + bytes.Index(b[begin:], []byte("a.b2nd")) - directoryLen
			le.PutUint32(b[at+42:], le.Uint32(b[begin+directoryLen+len("a.b2nd")+42:]))
			return b
		}, "shares bytes"},
	} {
		data := c.change(bytes.Clone(sound))
		s, err := openBytes(data)
		if err == nil {
			var r ndarray.Report
			r, err = s.Verify(t.Context(), "/")
			err = errors.Join(append(r.Faults, err)...)
		} else {
			t.Errorf("%s: not opened: %v", name, err)
		}
		if !errors.Is(err, cairn.ErrCorrupt) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestCompressedLeavesAreNamed checks that Verify reports a compressed leaf.
func TestCompressedLeavesAreNamed(t *testing.T) {
	leaf, embed := goldenMember(t, "dict.b2z", "a.b2nd"), goldenMember(t, "dict.b2z", embedName)
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	check(t, writeMember(z, embedName, embed, zip.Store), writeMember(z, "a.b2nd", leaf, zip.Deflate), z.Close())
	s, err := openBytes(b.Bytes())
	check(t, err)
	_, err = s.Verify(t.Context(), "/")
	if err == nil || !strings.Contains(err.Error(), `member "a.b2nd" is compressed`) {
		t.Errorf("%v", err)
	}
}

// TestChangedMembersFailTheirSum changes a byte of a leaf without checksums of its own.
func TestChangedMembersFailTheirSum(t *testing.T) {
	data := bytes.Clone(archiveOf(t, goldenMember(t, "dict.b2z", "a.b2nd"), "a.b2nd"))
	s, err := openBytes(data)
	check(t, err)
	l, err := s.Leaf("/a")
	check(t, err)
	data[l.Offset+l.Size-1] ^= 1
	r, err := s.Verify(t.Context(), "/a")
	if !errors.Is(err, cairn.ErrChecksum) || len(r.Faults) == 0 {
		t.Errorf("%v, %d faults", err, len(r.Faults))
	}
}

// countingReader counts calls and requested bytes.
type countingReader struct {
	io.ReaderAt
	calls, bytes int
}

func (r *countingReader) ReadAt(p []byte, at int64) (int, error) {
	r.calls++
	r.bytes += len(p)
	return r.ReaderAt.ReadAt(p, at)
}

// TestVerifyingAnArchiveReadsItOnce counts the reads of verifying archives of increasing size.
func TestVerifyingAnArchiveReadsItOnce(t *testing.T) {
	calls := func(n int) float64 {
		names := make([]string, n)
		for i := range names {
			names[i] = strings.Repeat("g", i%20+1) + "/" + strings.Repeat("x", i/20+1) + ".b2nd"
		}
		data := archiveOf(t, goldenMember(t, "dict.b2z", "a.b2nd"), names...)
		r := &countingReader{ReaderAt: bytes.NewReader(data)}
		s, err := OpenReader(r, int64(len(data)), "x", &OpenOptions{Workers: 1})
		check(t, err, verified(context.Background(), s, 0), s.Close())
		if r.bytes > 20*len(data) {
			t.Errorf("%d members: %d bytes were read of %d", n, r.bytes, len(data))
		}
		return float64(r.calls)
	}
	if few, many := calls(50), calls(400); many > 9*few {
		t.Errorf("%v calls for 50 members, %v for 400", few, many)
	}
}

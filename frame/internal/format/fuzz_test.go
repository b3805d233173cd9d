package format

import (
	"bytes"
	"encoding/binary"
	"errors"
	"testing"

	"github.com/cairn-go/cairn"
)

// sane fails the test for errors that a parser of hostile bytes must not return.
func sane(t *testing.T, err error) {
	t.Helper()
	if !errors.Is(err, cairn.ErrCorrupt) && !errors.Is(err, cairn.ErrUnsupported) {
		t.Fatalf("an error of no kind: %v", err)
	}
}

func FuzzHeader(f *testing.F) {
	f.Add((&Header{ChunkSize: -1, TypeSize: 1, FrameLen: 200}).Append(nil, nil, false), int64(10_000))
	f.Add([]byte("\x9d\xa8b2frame\x00"), int64(82))
	f.Fuzz(func(t *testing.T, b []byte, size int64) {
		h, err := ParseHeader(b, size)
		if err != nil {
			sane(t, err)
			return
		}
		if h.FrameLen > size || h.HeaderLen > h.FrameLen || h.HeaderLen <= 0 || h.NBytes < 0 ||
			h.CBytes < 0 || h.TypeSize < 1 || h.ChunkSize < -1 {
			t.Fatalf("accepted %+v", h)
		}
		if h.Generation != Current {
			return
		}
		again, err := ParseHeader(append(h.Append(nil, nil, false), make([]byte, 64)...), max(size, h.FrameLen))
		if err != nil && h.FrameLen >= HeaderSize(nil) {
			t.Fatalf("what was accepted is refused when written: %v", err)
		}
		again.HeaderLen, again.Version, again.VLBlocks = h.HeaderLen, h.Version, h.VLBlocks
		if err == nil && again != h {
			t.Fatalf("%+v became %+v", h, again)
		}
	})
}

func FuzzRecord(f *testing.F) {
	r := &Record{Full: true, Seq: 7, Base: 900, Live: -1, Header: []byte("header")}
	f.Add(r.Append(nil))
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) >= 4 {
			binary.LittleEndian.PutUint32(b[len(b)-4:], Checksum(b[:len(b)-4]))
		}
		r, err := ParseRecord(b)
		if err != nil {
			sane(t, err)
			return
		}
		again, err := ParseRecord(r.Append(nil))
		if err != nil || again.Seq != r.Seq || again.Live != r.Live || again.Rows != r.Rows ||
			!bytes.Equal(again.Header, r.Header) {
			t.Fatalf("%+v became %+v, %v", r, again, err)
		}
	})
}

func FuzzFooter(f *testing.F) {
	f.Add(AppendFooter(nil, 7))
	f.Fuzz(func(t *testing.T, b []byte) {
		if sum, ok := ParseFooter(b); ok && !bytes.Equal(AppendFooter(nil, sum), b[:FooterSize]) {
			t.Fatalf("%x is no footer with %08x", b, sum)
		}
	})
}

func FuzzPointer(f *testing.F) {
	r := &Record{Seq: 7, Header: []byte("header")}
	r.Append(nil)
	f.Add(r.AppendPointer([]byte{0}))
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) <= PointerSize {
			return
		}
		size, sum, seq, ok := ParsePointer(b)
		if !ok {
			return
		}
		r := &Record{Seq: uint64(seq), Sum: sum, Header: make([]byte, min(size-RecordLeast, 1<<10))}
		if r.size() == size && !bytes.HasSuffix(b, r.AppendPointer(nil)) {
			t.Fatalf("%x leads %d bytes back", b, size)
		}
	})
}

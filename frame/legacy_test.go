package frame

import (
	"bytes"
	"encoding/binary"
	"errors"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/frame/internal/format"
	"github.com/cairn-go/cairn/internal/metalist"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/storage"
)

// legacyFrame builds a frame of an early layout byte by byte: two chunks of 400 bytes, one
// metalayer and, where there is a trailer, user metadata.
func legacyFrame(t testing.TB, g format.Generation, withLayer bool) []byte {
	t.Helper()
	f, err := New(&Options{TypeSize: 4})
	if err != nil {
		t.Fatal(err)
	}
	var chunks, index []byte
	for i := range 2 {
		if _, err := f.Append(noContext, ramp(100, 1000*i)); err != nil {
			t.Fatal(err)
		}
		c, err := f.EncodedChunk(nil, i)
		if err != nil {
			t.Fatal(err)
		}
		c = bytes.Clone(c)
		c[0] = 4 // chunk version of the betas
		index = binary.LittleEndian.AppendUint64(index, uint64(len(chunks)))
		chunks = append(chunks, c...)
	}
	indexChunk := append([]byte{4, 1, 0x07, 8, 16, 0, 0, 0, 16, 0, 0, 0, 48, 0, 0, 0}, make([]byte, 16)...)
	indexChunk = append(indexChunk, index...)
	if err := f.SetVL("u", []byte("user metadata")); err != nil {
		t.Fatal(err)
	}
	user := f.cur.Load().vl[0].Content

	h := legacyHeader(g, withLayer, len(chunks))
	b := append(append(h, chunks...), indexChunk...)
	if g != format.Beta1 {
		trailer := append([]byte{0x94, 0x01, 0xc6, 0, 0, 0, byte(len(user))}, user...)
		if g == format.Beta2 {
			trailer[0], trailer[1] = 0x0d, 0
		}
		trailer = append(trailer, 0xce, 0, 0, 0, byte(len(trailer)+23))
		trailer = append(append(trailer, 0xd8, 0), make([]byte, 16)...)
		b = append(b, trailer...)
	}
	binary.BigEndian.PutUint64(b[0x10:], uint64(len(b)))
	return b
}

// legacyHeader returns the header of such a frame, without the length of the frame.
func legacyHeader(g format.Generation, withLayer bool, cbytes int) []byte {
	marker := map[format.Generation]byte{format.Beta1: 0x9b, format.Beta2: 0x9d, format.Beta3: 0x9d}[g]
	if g == format.Beta1 && withLayer {
		marker = 0x9c
	}
	h := append([]byte{marker}, "\xa8b2frame\x00"...)
	h = append(h, 0xd2, 0, 0, 0, 0)             // header length, below
	h = append(h, 0xcf, 0, 0, 0, 0, 0, 0, 0, 0) // frame length, below
	h = append(h, 0xa4)
	if g == format.Beta1 {
		h = append(h, 0x24, 0x06, 0x55, 0)
	} else {
		h = append(h, 0x21, 0, 0x55, 0)
	}
	h = binary.BigEndian.AppendUint64(append(h, 0xd3), 800)
	h = binary.BigEndian.AppendUint64(append(h, 0xd3), uint64(cbytes))
	h = append(h, 0xd2, 0, 0, 0, 4)       // typesize
	h = append(h, 0xd2, 0, 0, 1, 0x90)    // chunk size
	h = append(h, 0xd1, 0, 1, 0xd1, 0, 1) // threads
	h = append(h, 0xc3)
	if g != format.Beta1 {
		h = append(h, 0xd8, 1)
		h = append(h, 1, 0, 0, 0, 0, 0, 0, 0)
		h = append(h, 0, 0, 0, 0, 0, 0, 0, 0)
	}
	var layers []meta.Layer
	if withLayer {
		layers = []meta.Layer{{Name: "early", Content: []byte("bird")}}
	}
	if withLayer || g != format.Beta1 {
		h = metalist.AppendHeader(h, int64(len(h)), layers)
	}
	binary.BigEndian.PutUint32(h[0x0b:], uint32(len(h)))
	return h
}

func TestFramesOfTheBetasAreRead(t *testing.T) {
	for _, g := range []format.Generation{format.Beta1, format.Beta2, format.Beta3} {
		for _, withLayer := range []bool{false, true} {
			b := legacyFrame(t, g, withLayer)
			f, err := FromBytes(b, nil)
			if err != nil {
				t.Fatalf("%v: %v", g, err)
			}
			info := f.Info()
			if info.Generation != g.String() || info.NumChunks != 2 || info.ChunkSize != 400 ||
				info.TypeSize != 4 || info.Pipeline[5].ID != 1 {
				t.Fatalf("%v: %+v", g, info)
			}
			got := make([]byte, 400)
			for i := range 2 {
				if _, err := f.ReadChunk(noContext, got, i); err != nil || !bytes.Equal(got, ramp(100, 1000*i)) {
					t.Fatalf("%v: chunk %d: %v", g, i, err)
				}
			}
			content, err := f.Layer("early")
			if withLayer != (err == nil) || withLayer && string(content) != "bird" {
				t.Fatalf("%v: metalayer %q, %v", g, content, err)
			}
			if user, err := f.VL(format.UsermetaLayer); (err == nil) != (g != format.Beta1) || err == nil &&
				string(user) != "user metadata" {
				t.Fatalf("%v: user metadata %q, %v", g, user, err)
			}
			if _, err := f.Snapshot().Verify(noContext); err != nil {
				t.Fatalf("%v: %v", g, err)
			}
			if _, err := f.Append(noContext, got); !errors.Is(err, cairn.ErrReadOnly) {
				t.Fatalf("%v: append: %v", g, err)
			}
			if _, err := f.Bytes(); !errors.Is(err, cairn.ErrUnsupported) {
				t.Fatalf("%v: bytes: %v", g, err)
			}
			if err := f.Close(); err != nil {
				t.Fatal(err)
			}
			m := storage.NewMemory()
			put(t, m, "f", b)
			if _, err := Open("f", &OpenOptions{FS: m, Mode: ReadWrite}); !errors.Is(err, cairn.ErrUnsupported) {
				t.Fatalf("%v: opened for writing: %v", g, err)
			}
		}
	}
}

func TestCutFramesOfTheBetasAreRefused(t *testing.T) {
	for _, g := range []format.Generation{format.Beta1, format.Beta2, format.Beta3} {
		b := legacyFrame(t, g, true)
		for n := range len(b) {
			if _, err := FromBytes(b[:n], nil); !errors.Is(err, cairn.ErrCorrupt) {
				t.Fatalf("%v cut to %d of %d bytes: %v", g, n, len(b), err)
			}
		}
	}
}

package frame

import (
	"context"
	"encoding/binary"
	"io/fs"
	"path"
	"strings"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/frame/internal/bucket"
	"github.com/cairn-go/cairn/frame/internal/format"
	"github.com/cairn-go/cairn/storage"
)

// A kindBucket has one object of each kind, under all names.
type kindBucket struct {
	storage.Bucket // for calls that do not happen
	kinds          map[string][]byte
}

func (b *kindBucket) ReadRanges(_ context.Context, at storage.Object, ranges []storage.Range) error {
	raw := b.kinds[path.Ext(at.Name)]
	for _, r := range ranges {
		if r.Off+int64(len(r.Data)) > int64(len(raw)) {
			return cairn.ErrBounds
		}
		copy(r.Data, raw[r.Off:])
	}
	return nil
}

func (b *kindBucket) ReadStart(_ context.Context, name string, p []byte) (int, storage.Object, error) {
	raw, ok := b.kinds[path.Ext(name)]
	if !ok {
		return 0, storage.Object{}, fs.ErrNotExist
	}
	return copy(p, raw), storage.Object{Name: name, Size: int64(len(raw)), Version: "1"}, nil
}

// FuzzBucket reads frames whose root, segment and chunk may be anything, with checksums that match.
func FuzzBucket(f *testing.F) {
	b := newDamagedBucket(f)
	kinds := map[string][]byte{}
	for name, raw := range b.objects {
		kinds[path.Ext(name)] = raw
	}
	f.Add(b.objects["a/frame/root"], kinds[".index"], kinds[".chunk"])
	small := newBucket()
	mustClose(f, createInBucket(f, small, 3))
	root := make([]byte, 4096)
	n, _, err := small.ReadStart(f.Context(), "a/frame/root", root)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(root[:n], []byte{}, kinds[".chunk"])
	f.Fuzz(func(t *testing.T, root, segment, c []byte) {
		limits := cairn.Limits{MaxAlloc: 1 << 20, MaxChunk: 1 << 20, MaxIndex: 1 << 22, MaxMeta: 1 << 20}
		k := &kindBucket{kinds: map[string][]byte{"": sealed(root, segment, limits.WithDefaults()), ".index": segment,
			".chunk": format.AppendFooter(append([]byte(nil), c...), format.Checksum(c))}}
		k.kinds[".root"] = k.kinds[""]
		fsys := storage.BucketFS(t.Context(), k)
		f, err := Open("a/frame", &OpenOptions{FS: fsys, Engine: chunk.Engine{Limits: limits}})
		if err != nil {
			return
		}
		defer f.Close()
		_, _ = f.VLLayers()
		buf := make([]byte, 1<<12)
		for _, i := range []int{0, 1, f.NumChunks() / 2, f.NumChunks() - 1} {
			n, err := f.ReadChunk(t.Context(), buf, i)
			if err == nil && n > len(buf) || n < 0 {
				t.Fatal(n)
			}
			if _, err := f.Peek(i); err != nil && i >= 0 && i < f.NumChunks() && !strings.Contains(err.Error(), "a/frame") {
				t.Fatal(err)
			}
			f.Inside().SpecialRun(i)
		}
		versions := 0
		for _, err := range Versions(t.Context(), "a/frame", &OpenOptions{FS: fsys, Engine: chunk.Engine{Limits: limits}}) {
			if versions++; err == nil && versions > 1 {
				t.Fatal("one root is that of two versions")
			}
		}
	})
}

// sealed returns a root with the checksums of all segments, which are the same, and its own.
func sealed(root, segment []byte, limits cairn.Limits) []byte {
	const sumAt, summedAt = 8, 16
	if len(root) < summedAt {
		return root
	}
	root = append([]byte(nil), root...)
	binary.LittleEndian.PutUint32(root[sumAt:], format.Checksum(root[summedAt:]))
	content, err := bucket.Parse(root, limits)
	if err != nil {
		return root
	}
	for j := range content.Segments {
		if s := &content.Segments[j]; s.Number >= 0 {
			s.Size, s.Sum = uint32(len(segment)), format.Checksum(segment)
		}
	}
	return content.Append(nil)
}

package frame

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/frame/internal/bucket"
	"github.com/cairn-go/cairn/frame/internal/index"
	"github.com/cairn-go/cairn/storage"
)

// A damagedBucket has a frame of three commits: chunks of zeros and NaN, some with objects, in two
// segments of the index, of which one has an object; another chunk; a metalayer.
type damagedBucket struct {
	storage.Bucket
	objects map[string][]byte // as they were written
	names   []string
	stored  []int // chunks with objects
}

func newDamagedBucket(t testing.TB) *damagedBucket {
	t.Helper()
	b := &damagedBucket{Bucket: newBucket(), objects: map[string][]byte{},
		stored: []int{3, 4 + 2*bucket.MaxTail, index.SegmentLen + 1}}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	f, err := Create("a/frame", inBucketOptions(b))
	must(err)
	must(f.AppendSpecial(t.Context(), chunk.SpecialZeros, 32*(index.SegmentLen+9)))
	nan, err := chunk.AppendSpecial(nil, chunk.SpecialNaN, nil, 32, 8, 0)
	must(err)
	for i := range bucket.MaxTail + 1 { // so many changes put a segment
		must(f.Inside().UpdateEncoded(t.Context(), 5+2*i, nan))
	}
	must(f.Update(t.Context(), b.stored[0], numbered(1)))
	must(f.Update(t.Context(), b.stored[1], numbered(2)))
	mustCommit(t, f)
	must(f.Update(t.Context(), b.stored[2], numbered(3)))
	mustCommit(t, f)
	must(f.SetVL("name", []byte("value")))
	mustClose(t, f)
	for at, err := range b.List(t.Context(), "a/frame/") {
		must(err)
		raw := make([]byte, at.Size)
		must(b.ReadRanges(t.Context(), at, []storage.Range{{Data: raw}}))
		b.objects[at.Name], b.names = raw, append(b.names, at.Name)
	}
	return b
}

// put replaces an object, or removes it if raw is nil.
func (b *damagedBucket) put(t *testing.T, name string, raw []byte) {
	t.Helper()
	var err error
	if raw == nil {
		err = b.Delete(t.Context(), name)
	} else {
		_, err = b.Put(t.Context(), name, raw, storage.When{})
	}
	if err != nil {
		t.Fatal(err)
	}
}

// read reads some chunks of a version, and the metalayer. It returns what they have, and the
// errors.
func (b *damagedBucket) read(t *testing.T, version int64) (got []byte, errs []error) {
	t.Helper()
	f, err := Open("a/frame", &OpenOptions{FS: storage.BucketFS(t.Context(), b), Version: version})
	if err != nil {
		return nil, []error{err}
	}
	for _, i := range append(b.stored, 2, 7, index.SegmentLen+3) {
		c := make([]byte, 32)
		_, err := f.ReadChunk(t.Context(), c, i)
		errs = append(errs, err)
		got = append(got, c...)
	}
	value, err := f.VL("name")
	if !errors.Is(err, cairn.ErrNotFound) {
		errs = append(errs, err)
	}
	mustClose(t, f)
	return append(got, value...), slices.DeleteFunc(errs, func(err error) bool { return err == nil })
}

// damages returns what an object may become, by what has happened to it.
func (b *damagedBucket) damages(name string) map[string][]byte {
	raw := b.objects[name]
	all := map[string][]byte{"missing": nil, "empty": {}, "zeros": make([]byte, len(raw)),
		"with more behind": append(slices.Clone(raw), make([]byte, 100)...)}
	for i := 0; i < len(raw); i += 1 + len(raw)/60 {
		all[fmt.Sprint("cut at ", i)] = raw[:i]
		flipped := slices.Clone(raw)
		flipped[i] ^= 1 << (i % 8)
		all[fmt.Sprint("a bit at ", i)] = flipped
	}
	for _, other := range b.names {
		if other != name {
			all["replaced by "+path.Base(other)] = b.objects[other]
		}
	}
	return all
}

// TestDamagedObjects damages each object of a frame. Each version must read as it was, or with
// errors that name the object. Only what is whole may read as something else: another chunk in the
// place of a chunk, an older commit in the place of the newest.
func TestDamagedObjects(t *testing.T) {
	b := newDamagedBucket(t)
	sound := map[int64][]byte{}
	for version := range int64(4) { // 0 is the newest
		got, errs := b.read(t, version)
		if sound[version] = got; len(errs) > 0 {
			t.Fatal(errs)
		}
	}
	reported, harmless, whole := 0, 0, 0
	for _, name := range b.names {
		for what, raw := range b.damages(name) {
			b.put(t, name, raw)
			newest := path.Base(name) == bucket.RootKind
			swapped := strings.HasPrefix(what, "replaced") && path.Ext(what) == path.Ext(name)
			for version, want := range sound {
				got, errs := b.read(t, version)
				for _, err := range errs {
					reported++
					ok := errors.Is(err, cairn.ErrCorrupt) && strings.Contains(err.Error(), path.Base(name)) ||
						raw == nil && errors.Is(err, cairn.ErrNotFound) ||
						newest && (raw == nil && errors.Is(err, fs.ErrNotExist) || errors.Is(err, cairn.ErrNotFound))
					if !ok {
						t.Fatalf("%s, %s: version %d: %v", name, what, version, err)
					}
				}
				switch {
				case len(errs) > 0:
				case bytes.Equal(got, want):
					harmless++
				case newest && slices.ContainsFunc(slices.Collect(maps.Values(sound)), func(s []byte) bool { return bytes.Equal(s, got) }),
					swapped && path.Ext(name) == ".chunk":
					whole++
				default:
					t.Fatalf("%s, %s: version %d has\n%x, want\n%x", name, what, version, got, want)
				}
			}
		}
		b.put(t, name, b.objects[name])
	}
	if reported < 1000 || harmless < 1000 || whole == 0 {
		t.Errorf("%d reported, %d harmless, %d replaced by others that are whole", reported, harmless, whole)
	}
}

package ndarray

import (
	"bytes"
	"slices"
	"testing"

	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/meta"
)

// TestCopiesOfSpecialArraysAreSpecial checks that special chunks stay special in a copy, whatever
// its shapes and encoding.
func TestCopiesOfSpecialArraysAreSpecial(t *testing.T) {
	level := &Options{ChunkShape: Shape{30, 40}, BlockShape: Shape{7, 9}}
	for name, fill := range map[string]any{"zeros": nil, "nan": nanItem(8), "value": []byte{1, 2, 3, 4, 5, 6, 7, 8}} {
		o := *level
		o.Fill = fill
		u, err := NewUntyped("<f8", Shape{100, 90}, &o)
		if err != nil {
			t.Fatal(err)
		}
		want, err := u.Read(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, co := range []*CopyOptions{nil, {Recode: true}, {AutoShapes: true}, {ChunkShape: Shape{33, 41}, BlockShape: Shape{8, 8}, Memory: 1}, {ChunkShape: Shape{100, 4}}} {
			c, err := Copy(t.Context(), u, co)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := c.Read(t.Context()); err != nil || !bytes.Equal(got, want) {
				t.Fatalf("%s, %+v: items differ, %v", name, co, err)
			}
			for i := range c.Frame().NumChunks() {
				info, err := c.Frame().Chunk(i)
				if err != nil || info.Kind == chunk.SpecialNone {
					t.Fatalf("%s, %+v: chunk %d holds data, %v", name, co, i, err)
				}
			}
			check(t, c.Abort())
		}
		// A single different item is noticed.
		check(t, u.WriteBox(t.Context(), bytes.Repeat([]byte{9}, 8), []int64{50, 50}, []int64{51, 51}))
		copy(want[(50*90+50)*8:], bytes.Repeat([]byte{9}, 8))
		c, err := Copy(t.Context(), u, &CopyOptions{ChunkShape: Shape{100, 4}})
		if err != nil {
			t.Fatal(err)
		}
		if got, err := c.Read(t.Context()); err != nil || !bytes.Equal(got, want) {
			t.Fatalf("%s: items differ, %v", name, err)
		}
		check(t, c.Abort(), u.Abort())
	}
}

// TestCopiesOfOldFormatsAreCurrent checks that copies of arrays with a Caterva metalayer get a b2nd
// metalayer, and keep the other metalayers in their order.
func TestCopiesOfOldFormatsAreCurrent(t *testing.T) {
	m := vector("|u1")
	content := m.Append(nil)
	old := meta.Layer{Name: meta.LayerCaterva, Content: content[:len(content)-1-5-len("|u1")]}
	f, err := frame.New(&frame.Options{ChunkSize: 40, BlockSize: 10, Meta: []meta.Layer{{Name: "first", Content: []byte{1}}, old, {Name: "last", Content: []byte{2}}}})
	if err != nil {
		t.Fatal(err)
	}
	for _, data := range count(3) {
		if _, err := f.Append(t.Context(), data); err != nil {
			t.Fatal(err)
		}
	}
	b, err := f.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	u, err := FromBytes(b, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range []*CopyOptions{nil, {Recode: true}, {ChunkShape: Shape{7}}} {
		c, err := Copy(t.Context(), u, o)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, l := range c.Frame().Layers() {
			names = append(names, l.Name)
		}
		if got, err := c.Read(t.Context()); err != nil || !bytes.Equal(got, slices.Concat(count(3)...)[:100]) || !slices.Equal(names, []string{"first", meta.LayerB2ND, "last"}) {
			t.Fatalf("%+v: %v, or other items; metalayers %q", o, err, names)
		}
		check(t, c.Abort())
	}
}

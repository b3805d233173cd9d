package bucket

import (
	"errors"
	"reflect"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/frame/internal/format"
	"github.com/cairn-go/cairn/frame/internal/index"
)

var limits = cairn.Limits{}.WithDefaults()

func example() *Root {
	zeros := index.New().Fill()
	return &Root{ID: 1 << 60, Seq: 7, Time: 1_700_000_000_000_000_000, Earlier: []int64{3, 4},
		Header: []byte("header"), Trailer: []byte("trailer"), Live: 1000, Entries: 2*index.SegmentLen + 5,
		Segments: []Segment{{Number: zeros}, {Number: 99, Size: 12, Sum: 5}, {Number: zeros}},
		Tail:     []Change{{0, 77}, {3, zeros}, {2*index.SegmentLen + 4, 78}}}
}

func TestRootsAreReadAsWritten(t *testing.T) {
	for _, r := range []*Root{example(), {ID: 1, Seq: 1}} {
		raw := r.Append([]byte("before"))[len("before"):]
		got, err := Parse(raw, limits)
		if err != nil {
			t.Fatal(err)
		}
		// no slice is nil after Parse
		if again := got.Append(nil); string(again) != string(raw) || got.Seq != r.Seq || len(got.Tail) != len(r.Tail) {
			t.Errorf("%+v, want %+v", got, r)
		}
	}
	got, err := Parse(example().Append(nil), limits)
	if err != nil || !reflect.DeepEqual(got, example()) {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestTailsOfSegments(t *testing.T) {
	r := example()
	for j, want := range []int{2, 0, 1} {
		if got := r.TailOf(j); len(got) != want {
			t.Errorf("segment %d: %v", j, got)
		}
	}
	long := &Root{ID: 5, Earlier: make([]int64, MaxEarlier)}
	if b := long.Before(); len(b) != MaxEarlier || b[0] != 5 {
		t.Errorf("%d before, the last %d", len(b), b[0])
	}
	if b := (*Root)(nil).Before(); b != nil {
		t.Error(b)
	}
}

func TestDamagedRootsAreCorrupt(t *testing.T) {
	good := example().Append(nil)
	for i := range good {
		if i >= sumAt+4 && i < summedAt {
			continue // reserved
		}
		bad := append([]byte(nil), good...)
		bad[i] ^= 0x10
		if _, err := Parse(bad, limits); !errors.Is(err, cairn.ErrCorrupt) {
			t.Fatalf("byte %d: %v", i, err)
		}
	}
	for n := range good {
		if _, err := Parse(good[:n], limits); !errors.Is(err, cairn.ErrCorrupt) {
			t.Fatalf("%d bytes: %v", n, err)
		}
	}
}

func TestInvalidRootsAreRefused(t *testing.T) {
	for what, edit := range map[string]func(r *Root){
		"no number":                func(r *Root) { r.ID = 0 },
		"a negative earlier one":   func(r *Root) { r.Earlier[1] = -1 },
		"more earlier than before": func(r *Root) { r.Seq = 2 },
		"negative bytes":           func(r *Root) { r.Live = -1 },
		"too few segments":         func(r *Root) { r.Entries += index.SegmentLen },
		"a special object":         func(r *Root) { r.Segments[0].Size = 1 },
		"an unknown special":       func(r *Root) { r.Segments[0].Number = -1 << 63 },
		"a huge segment":           func(r *Root) { r.Segments[1].Size = 1 << 30 },
		"an empty segment":         func(r *Root) { r.Segments[1].Size = 0 },
		"changes out of order":     func(r *Root) { r.Tail[0].At = 3 },
		"a change behind the end":  func(r *Root) { r.Tail[2].At++ },
		"an unknown entry":         func(r *Root) { r.Tail[0].Entry = -1 << 63 },
		"too many changes":         func(r *Root) { r.Tail = make([]Change, MaxTail+1) },
	} {
		r := example()
		edit(r)
		if _, err := Parse(r.Append(nil), limits); !errors.Is(err, cairn.ErrCorrupt) {
			t.Errorf("%s: %v", what, err)
		}
	}
	tight := limits
	for what, l := range map[string]*int64{
		"header": &tight.MaxHeader, "trailer": &tight.MaxTrailer, "index": &tight.MaxIndex} {
		tight = limits
		*l = 1
		if _, err := Parse(example().Append(nil), tight); !errors.Is(err, cairn.ErrLimit) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(example().Append(nil))
	f.Add((&Root{ID: 1, Seq: 1}).Append(nil))
	f.Fuzz(func(t *testing.T, raw []byte) {
		if len(raw) > summedAt { // or nothing behind the checksum would be tried
			raw = append([]byte(nil), raw...)
			seal(raw)
		}
		r, err := Parse(raw, limits)
		if err != nil {
			return
		}
		again, err := Parse(r.Append(nil), limits)
		if err != nil || !reflect.DeepEqual(r, again) {
			t.Fatalf("%+v, %+v, %v", r, again, err)
		}
	})
}

func seal(raw []byte) {
	sum := format.Checksum(raw[summedAt:])
	for i := range 4 {
		raw[sumAt+i] = byte(sum >> (8 * i))
	}
}

// FuzzSegments decodes segments, and encodes what is valid again.
func FuzzSegments(f *testing.F) {
	for _, x := range []index.Index{index.Repeat(3, 7), index.Repeat(index.SegmentLen, index.New().Fill()), index.Repeat(5000, 1<<61)} {
		x, err := x.Set(2, 12345)
		if err != nil {
			f.Fatal(err)
		}
		var p index.Packer
		raw, err := p.Append(nil, x)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(raw)
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		x, err := decodeSegment(raw, limits)
		if err != nil {
			return
		}
		if x.Len() > index.SegmentLen {
			t.Fatal(x.Len())
		}
		for i := 0; i < x.Len(); i += 97 {
			entry, err := x.At(i)
			if err == nil {
				err = anyEntry(i, entry)
			}
			if err != nil {
				return // blocks are decoded when they are needed
			}
		}
		at, again, err := pack(new(index.Packer), x, 0)
		if err != nil || again == nil {
			return
		}
		y, err := decodeSegment(again, limits)
		if err != nil || y.Len() != x.Len() || int(at.Size) != len(again) {
			t.Fatalf("%d entries, then %d, %v", x.Len(), y.Len(), err)
		}
		for i := 0; i < x.Len(); i += 97 {
			a, err := x.At(i)
			b, failed := y.At(i)
			if err != nil || failed != nil || a != b {
				t.Fatalf("entry %d: %d, %d, %v, %v", i, a, b, err, failed)
			}
		}
	})
}

package ndarray

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/cairn-go/cairn"
)

// A visitRecord has a field of every kind whose memory layout differs from the file's.
type visitRecord struct {
	When  time.Time `cairn:"when,M8[s]"`
	Name  string    `cairn:"name,U6"`
	Value float32   `cairn:"value"`
	Flags [3]bool   `cairn:"flags"`
}

func someRecord(i int) visitRecord {
	return visitRecord{time.Unix(int64(i)*60, 0).UTC(), fmt.Sprint("n", i), float32(i) / 8, [3]bool{i%2 == 0, i%3 == 0}}
}

func someRecords(from, to int) (r []visitRecord) {
	for i := from; i < to; i++ {
		r = append(r, someRecord(i))
	}
	return r
}

// TestRecordsAreGrownLikeNumbers appends, inserts, deletes and resizes.
func TestRecordsAreGrownLikeNumbers(t *testing.T) {
	ctx := t.Context()
	a, err := New[visitRecord](Shape{0}, &Options{ChunkShape: Shape{7}, BlockShape: Shape{3}})
	check(t, err)
	defer a.Close()
	want := someRecords(0, 25)
	for i := range 5 {
		check(t, a.Append(ctx, 0, want[5*i:5*i+5]))
	}
	check(t, a.Insert(ctx, 0, 3, someRecords(100, 104)))
	want = slices.Insert(want, 3, someRecords(100, 104)...)
	check(t, a.Delete(ctx, 0, 10, 12))
	want = slices.Delete(want, 10, 12)
	check(t, a.Resize(ctx, Shape{30}, nil))
	want = append(want, make([]visitRecord, 3)...)
	for i := len(want) - 3; i < len(want); i++ {
		want[i].When = time.Unix(0, 0).UTC()
	}
	got, err := a.Read(ctx)
	check(t, err)
	if !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	got = got[:0]
	for v, err := range a.Values(ctx) {
		check(t, err)
		got = append(got, v)
	}
	if !slices.Equal(got, want) {
		t.Error("Values differ")
	}
	got = got[:0]
	for b, err := range a.Blocks(ctx) {
		check(t, err)
		got = append(got, slices.Repeat(b.Values, int(b.Times))...)
	}
	if !slices.Equal(got, want) {
		t.Errorf("Blocks differ: %v", got)
	}
}

// TestRecordsBehaveLikeTheDenseModel reads and writes boxes, points, masks and views of records.
func TestRecordsBehaveLikeTheDenseModel(t *testing.T) {
	ctx, rnd := t.Context(), rand.New(rand.NewPCG(7, 5))
	shape := Shape{23, 17}
	a, err := FromSlice(someRecords(0, 23*17), shape, &Options{ChunkShape: Shape{6, 5}, BlockShape: Shape{4, 2}})
	check(t, err)
	defer a.Close()
	want, next := someRecords(0, 23*17), 1000
	fresh := func(n int) []visitRecord {
		next += n
		return someRecords(next-n, next)
	}
	for range 60 {
		start, stop := randomBox(rnd, shape)
		items := boxNumbers(start, stop, shape)
		src := fresh(len(items))
		check(t, a.WriteBox(ctx, src, start, stop))
		for k, i := range items {
			want[i] = src[k]
		}
		points, src := make([]int64, 0, 20), fresh(10)
		for k := range src {
			i := rnd.IntN(len(want))
			points = append(points, int64(i/17), int64(i%17)-17*int64(k%2))
			want[i] = src[k]
		}
		check(t, a.WritePoints(ctx, src, points))
		mask := make([]bool, len(want))
		for range 5 {
			mask[rnd.IntN(len(mask))] = true
		}
		one := fresh(1)[0]
		check(t, a.FillWhere(ctx, one, Items(mask, a.Shape())))
		for i, m := range mask {
			if m {
				want[i] = one
			}
		}
		got := make([]visitRecord, len(src))
		check(t, a.ReadPoints(ctx, got, points))
		for k := range got {
			if i := points[2*k]*17 + (points[2*k+1]+17)%17; got[k] != want[i] {
				t.Fatalf("point %d: %v, want %v", k, got[k], want[i])
			}
		}
		got = make([]visitRecord, len(items))
		check(t, a.ReadBox(ctx, got, start, stop))
		for k, i := range items {
			if got[k] != want[i] {
				t.Fatalf("item %d of a box: %v, want %v", k, got[k], want[i])
			}
		}
		masked, err := a.ReadWhere(ctx, Items(mask, a.Shape()))
		check(t, err)
		if !slices.Equal(masked, slices.Repeat([]visitRecord{one}, len(masked))) {
			t.Fatal("masked items differ")
		}
	}
	whole, err := a.Read(ctx)
	check(t, err)
	if !slices.Equal(whole, want) {
		t.Fatal("items differ at the end")
	}
	columns, err := a.View().Transpose().Read(ctx)
	check(t, err)
	for i, v := range columns {
		if v != want[i%23*17+i/23] {
			t.Fatalf("item %d of the transposed view: %v", i, v)
		}
	}
}

// boxNumbers returns the numbers of the items of a box in C order.
func boxNumbers(start, stop []int64, shape Shape) (numbers []int64) {
	for r := start[0]; r < stop[0]; r++ {
		for c := start[1]; c < stop[1]; c++ {
			numbers = append(numbers, r*shape[1]+c)
		}
	}
	return numbers
}

// TestStructsMayLackFields checks that reads ignore fields that a struct lacks, and that writes
// leave them unchanged.
func TestStructsMayLackFields(t *testing.T) {
	ctx := t.Context()
	a, err := FromSlice(someRecords(0, 40), Shape{40}, &Options{ChunkShape: Shape{12}, BlockShape: Shape{5}})
	check(t, err)
	defer a.Close()
	type part struct {
		Value float32
		Name  string
	}
	p, err := As[part](a.Untyped)
	check(t, err)
	want := someRecords(0, 40)
	set := func(i int, v part) { want[i].Value, want[i].Name = v.Value, v.Name }
	some := func(i int) part { return part{float32(-i), fmt.Sprint("p", i)} }
	check(t, p.Write(ctx, []part{some(1), some(2)}, Range(3, 9).Step(5)), p.Set(some(3), -1), p.Fill(ctx, some(4), Range(20, 30)))
	check(t, p.WriteBox(ctx, []part{some(7), some(8)}, []int64{30}, []int64{32}))
	set(3, some(1))
	set(8, some(2))
	set(39, some(3))
	for i := 20; i < 30; i++ {
		set(i, some(4))
	}
	set(30, some(7))
	set(31, some(8))
	check(t, p.WritePoints(ctx, []part{some(5), some(6)}, []int64{11, 0}))
	set(11, some(5))
	set(0, some(6))
	mask := make([]bool, 40)
	mask[14], mask[37] = true, true
	check(t, p.WriteWhere(ctx, []part{some(9), some(10)}, Items(mask, p.Shape())))
	set(14, some(9))
	set(37, some(10))
	got, err := a.Read(ctx)
	check(t, err)
	if !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	for name, err := range map[string]error{
		"append": p.Append(ctx, 0, []part{some(1)}), "insert": p.Insert(ctx, 0, 0, []part{some(1)}),
	} {
		if !errors.Is(err, cairn.ErrType) {
			t.Errorf("%s of structs that lack fields: %v", name, err)
		}
	}
}

// TestFieldsAreViews slices, joins, fills and writes one field of records of two arrays.
func TestFieldsAreViews(t *testing.T) {
	ctx := t.Context()
	shape := Shape{31, 9}
	a, err := FromSlice(someRecords(0, 31*9), shape, &Options{ChunkShape: Shape{8, 4}, BlockShape: Shape{3, 4}})
	check(t, err)
	b, err := FromSlice(someRecords(500, 500+31*9), shape, nil)
	check(t, err)
	defer a.Close()
	defer b.Close()
	values, err := ViewAs[float32](a.Field("value"))
	check(t, err)
	names, err := ViewAs[string](a.Slice(Range(30, 0).Step(-10)).Field("name").Transpose())
	check(t, err)
	got, err := names.Read(ctx)
	check(t, err)
	for i, name := range got {
		if want := someRecord((30-i%3*10)*9 + i/3).Name; name != want {
			t.Errorf("name %d is %q, want %q", i, name, want)
		}
	}
	check(t, values.Slice(Index(2)).Fill(ctx, 7), values.Slice(Indices([]int64{9, 4}), Index(3)).Write(ctx, []float32{90, 40}), values.Set(-1, 0, 0))
	want := someRecords(0, 31*9)
	for c := range 9 {
		want[2*9+c].Value = 7
	}
	want[9*9+3].Value, want[4*9+3].Value, want[0].Value = 90, 40, -1
	all, err := a.Read(ctx)
	check(t, err)
	if !slices.Equal(all, want) {
		t.Errorf("records differ after changes of a field")
	}
	both, err := ViewAs[float32](Concat(0, a.Field("value"), b.Field("value")))
	check(t, err)
	joined, err := both.Broadcast(Shape{2, 62, 9}).Read(ctx, All, All, Index(5))
	check(t, err)
	for i, v := range joined {
		row := i % 62
		w := someRecord(500 + (row-31)*9 + 5).Value
		if row < 31 {
			w = want[row*9+5].Value
		}
		if v != w {
			t.Fatalf("row %d of the joined field: %v, want %v", row, v, w)
		}
	}
	if err := both.Fill(ctx, 1); !errors.Is(err, cairn.ErrReadOnly) {
		t.Errorf("a joined view was filled: %v", err)
	}
	if err := a.Field("no").Err(); !errors.Is(err, cairn.ErrNotFound) {
		t.Errorf("a field that there is not: %v", err)
	}
}

func TestFromSliceOfTexts(t *testing.T) {
	for _, texts := range [][]string{{"", "naïve", "b"}, {""}, {"日本語", "\U0001F600"}} {
		a, err := FromSlice(texts, Shape{int64(len(texts))}, nil)
		if err != nil {
			t.Fatal(err)
		}
		got, err := a.Read(t.Context())
		if err != nil || !slices.Equal(got, texts) {
			t.Errorf("%q became %q, %v", texts, got, err)
		}
	}
}

// TestItemsAreReadAsAnything fills arrays of every kind of dtype, and reads the items back without
// knowing the dtype.
func TestItemsAreReadAsAnything(t *testing.T) {
	ctx := t.Context()
	when := time.Date(2020, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, c := range []struct {
		dtype string
		value any
	}{
		{"|b1", true}, {"|i1", int8(-1)}, {"<i2", int16(-2)}, {">i4", int32(-3)}, {"<i8", int64(-4)},
		{"|u1", uint8(1)}, {"<u2", uint16(2)}, {">u4", uint32(3)}, {"<u8", uint64(1<<63 + 1)},
		{">f2", Float16From(1.5)}, {"<f4", float32(0.1)}, {">f8", 0.1}, {"<c8", complex64(1 + 2i)}, {">c16", 1 + 2i},
		{"|S5", "abc"}, {">U4", "äöü"}, {"<M8[s]", when}, {"<M8[D]", when.Truncate(24 * time.Hour)}, {"<M8", int64(7)},
		{">m8[ms]", 5 * time.Second}, {"<m8[M]", int64(3)}, {"|V3", []byte{1, 2, 3}}, {"<f16", make([]byte, 16)},
		{"[('a', '<i2'), ('b', '|S3', (2,)), ('c', [('d', '>f4')], (1, 2))]", map[string]any{"a": int16(1),
			"b": []string{"x", "yz"}, "c": [][]map[string]any{{{"d": float32(1)}, {"d": float32(2)}}}}},
	} {
		u, err := NewUntyped(c.dtype, Shape{2, 3}, nil)
		check(t, err)
		check(t, u.Fill(ctx, c.value, Index(1), Index(-1)), u.Fill(ctx, c.value, Index(0)))
		one, err := ReadAny(ctx, u, Index(1), Index(2))
		check(t, err)
		if !reflect.DeepEqual(one, c.value) {
			t.Errorf("%s: item %#v, want %#v", c.dtype, one, c.value)
		}
		row, err := ReadAny(ctx, u.View(), Index(0))
		check(t, err)
		if v := reflect.ValueOf(row); v.Len() != 3 || !reflect.DeepEqual(v.Index(2).Interface(), c.value) {
			t.Errorf("%s: row %#v, want three of %#v", c.dtype, row, c.value)
		}
		if none, err := ReadAny(ctx, u, Range(1, 1)); err != nil || reflect.ValueOf(none).Len() != 0 {
			t.Errorf("%s: nothing is %#v, %v", c.dtype, none, err)
		}
		check(t, u.Close())
	}
}

func TestItemsThatCannotBeRead(t *testing.T) {
	ctx := t.Context()
	u, err := NewUntyped("[('a', '<i4'), ('b', '|S1', (0,))]", Shape{1 << 40}, nil)
	check(t, err)
	defer u.Close()
	if _, err := ReadAny(ctx, u.Field("b")); !errors.Is(err, cairn.ErrType) {
		t.Errorf("items without bytes: %v", err)
	}
	if _, err := ReadAny(ctx, u); !errors.Is(err, cairn.ErrLimit) {
		t.Errorf("all items: %v", err)
	}
	if got, err := ReadAny(ctx, u, Index(5)); err != nil || got.(map[string]any)["a"] != int32(0) {
		t.Errorf("an item with an empty field: %v %v", got, err)
	}
	if _, err := ReadAny(ctx, u, Index(1<<40)); !errors.Is(err, cairn.ErrBounds) {
		t.Errorf("an item beyond the end: %v", err)
	}
}

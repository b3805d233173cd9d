package ndarray

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/internal/govalue"
)

type allKinds struct {
	Flag   bool
	I      int8
	U      uint64
	F      float32
	H      Float16
	C      complex64
	When   time.Time `cairn:"when,>M8[us]"`
	Took   time.Duration
	Code   string `cairn:",S6"`
	Title  string `cairn:"title of it,>U5"`
	Flags  [3]bool
	Points [2][2]struct {
		X, Y int16
		Tag  string `cairn:",S2"`
	}
	Raw    [4]byte
	hidden int
	Out    string `cairn:"-"`
}

func randomKinds(rnd *rand.Rand) (v allKinds) {
	v.Flag, v.I, v.U, v.F = rnd.IntN(2) == 0, int8(rnd.Int()), rnd.Uint64(), rnd.Float32()
	v.H, v.C = Float16FromBits(uint16(rnd.Uint32())), complex(rnd.Float32(), rnd.Float32())
	v.When, v.Took = time.UnixMicro(rnd.Int64N(1e16)-5e15).UTC(), time.Duration(rnd.Int64())
	v.Code, v.Title = fmt.Sprint(rnd.IntN(1e6)), strings.Repeat("é", rnd.IntN(6))
	v.Flags[rnd.IntN(3)] = true
	v.hidden = 0 // not stored
	for i := range v.Points {
		for k := range v.Points[i] {
			v.Points[i][k].X, v.Points[i][k].Y, v.Points[i][k].Tag = int16(rnd.Int()),
				int16(rnd.Int()), fmt.Sprint(rnd.IntN(100))
		}
	}
	v.Raw = [4]byte{byte(rnd.Int()), 1, 2, 3}
	return v
}

// Boxes of arrays of several dimensions, larger than one conversion step.
func TestValuesAndModel(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 6))
	o := &Options{ChunkShape: Shape{50, 30}, BlockShape: Shape{10, 11}}
	v, err := New[allKinds](Shape{301, 207}, o)
	if err != nil {
		t.Fatal(err)
	}
	defer v.Untyped.Close()
	if size := v.Len() * int64(v.Untyped.TypeSize()); size <= convertBytes {
		t.Fatalf("%d bytes are read at once", size)
	}
	all := make([]allKinds, v.Len())
	for i := range all {
		all[i] = randomKinds(rnd)
	}
	if err := v.Write(t.Context(), all); err != nil {
		t.Fatal(err)
	}
	check := func(want []allKinds, selectors ...Selector) {
		t.Helper()
		if got, err := v.Read(t.Context(), selectors...); err != nil || !slices.Equal(got, want) {
			t.Fatalf("%v: other values: %v", selectors, err)
		}
	}
	check(all)
	check(all[207*300:], Index(-1))
	check([]allKinds{all[207*7+3], all[207*7+1], all[207*2+3], all[207*2+1]}, Indices([]int64{7,
		2}), Range(3, 0).Step(-2))
	if err := v.Set(all[5], -1, 0); err != nil {
		t.Fatal(err)
	}
	if got, err := v.At(300, 0); err != nil || got != all[5] {
		t.Fatalf("%v: %v", got, err)
	}
	all[207*300] = all[5]
	// Only one field of some items.
	when, err := ViewAs[time.Time](v.Field("when"))
	if err != nil {
		t.Fatal(err)
	}
	day := time.Date(1969, 1, 2, 3, 4, 5, 6000, time.UTC)
	if err := errors.Join(when.Write(t.Context(), []time.Time{day, {}}, Index(9), Range(4,
		10).Step(5)), when.Set(day, 0, 0)); err != nil {
		t.Fatal(err)
	}
	all[207*9+4].When, all[207*9+9].When, all[0].When = day, time.Time{}, day
	if err := when.Fill(t.Context(), day, Range(40, 80), Index(3)); err != nil {
		t.Fatal(err)
	}
	for i := 40; i < 80; i++ {
		all[207*i+3].When = day
	}
	check(all)
	if err := v.Fill(t.Context(), all[1], Index(2)); err != nil {
		t.Fatal(err)
	}
	check(slices.Repeat(all[1:2], 207), Index(2))
}

// Structs with the file's memory layout are read and written without conversion.
func TestDirectValues(t *testing.T) {
	type pair struct {
		A int64
		B float32
		C [2]uint16
	}
	v, err := New[pair](Shape{40}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer v.Untyped.Close()
	little := binary.NativeEndian.Uint16([]byte{1, 0}) == 1
	if l := v.layout; l.Read != little || l.Write != little {
		t.Errorf("read %v, write %v", l.Read, l.Write)
	}
	want := make([]pair, 40)
	for i := range want {
		want[i] = pair{int64(-i), float32(i) / 8, [2]uint16{uint16(i), 9}}
	}
	if err := v.Write(t.Context(), want); err != nil {
		t.Fatal(err)
	}
	if got, err := v.Read(t.Context(), Range(39, -41).Step(-1)); err != nil || !slices.Equal(got, reversed(want)) {
		t.Errorf("%v: %v", got, err)
	}
	// Writing a struct with some of the fields changes only these.
	part, err := As[struct{ B float32 }](v.Untyped)
	if err != nil {
		t.Fatal(err)
	}
	if err := part.Set(struct{ B float32 }{7}, 3); err != nil {
		t.Fatal(err)
	}
	want[3].B = 7
	if got, err := v.Read(t.Context()); err != nil || !slices.Equal(got, want) {
		t.Errorf("%v: %v", got, err)
	}
}

func reversed[T any](s []T) []T {
	s = slices.Clone(s)
	slices.Reverse(s)
	return s
}

// refused checks the kind of an error, and that its text contains some others.
func refused(t *testing.T, err, kind error, texts ...string) {
	t.Helper()
	if !errors.Is(err, kind) {
		t.Errorf("%v, want %v", err, kind)
		return
	}
	for _, text := range texts {
		if !strings.Contains(err.Error(), text) {
			t.Errorf("%v: says nothing of %q", err, text)
		}
	}
}

func TestValuesRefuse(t *testing.T) {
	refuse := func(err error, kind error, texts ...string) {
		t.Helper()
		refused(t, err, kind, texts...)
	}
	u,
		err := NewUntyped("[('a', '<i4'), ('p', [('x', '<f4'), ('y', '<f4')]), "+
		"('when', '<M8[ps]'), ('n', 'S3'), ('N', '<U2'), ('g', '<m8[M]')]", Shape{2}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer u.Close()
	_, err = As[struct{ A int64 }](u)
	refuse(err, cairn.ErrType, `"a"`, "<i4", "int64")
	_, err = As[struct{ B int32 }](u)
	refuse(err, cairn.ErrType, "B", "no field")
	_, err = As[struct {
		X int32 `cairn:"A"`
	}](u)
	refuse(err, cairn.ErrType, `"A"`)
	_, err = As[struct{ A, X int32 }](u)
	refuse(err, cairn.ErrType, "X")
	_, err = As[struct {
		A  int32
		A2 int32 `cairn:"a"`
	}](u)
	refuse(err, cairn.ErrType, "A2", "another")
	_, err = As[struct {
		a int32 `cairn:"a"`
	}](u)
	refuse(err, cairn.ErrType, "exported")
	_, err = ViewAs[time.Duration](u.Field("g"))
	refuse(err, cairn.ErrType, "<m8[M]")
	_, err = ViewAs[[2]int16](u.Field("a"))
	refuse(err, cairn.ErrType, "<i4")
	_, err = ViewAs[int32](u.Field("p").Field("z"))
	refuse(err, cairn.ErrNotFound, `"z"`)
	_, err = New[struct{ S string }](Shape{1}, nil)
	refuse(err, cairn.ErrType, "S", "size")
	_, err = New[struct{ N int }](Shape{1}, nil)
	refuse(err, cairn.ErrType, "N")
	_, err = New[struct {
		N int32 `cairn:"n,<i8"`
	}](Shape{1}, nil)
	refuse(err, cairn.ErrType, `"n"`)
}

func TestTextsRefuse(t *testing.T) {
	refuse := func(err error, kind error, texts ...string) {
		t.Helper()
		refused(t, err, kind, texts...)
	}
	u, err := NewUntyped("[('n', 'S3'), ('N', '<U2')]", Shape{2}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer u.Close()
	texts, err := ViewAs[string](u.Field("n"))
	if err != nil {
		t.Fatal(err)
	}
	refuse(texts.Set("four", 0), cairn.ErrBounds, "four", "3")
	refuse(texts.Write(t.Context(), []string{"a"}), cairn.ErrBounds, "2")
	refuse(texts.ReadInto(t.Context(), make([]string, 3)), cairn.ErrBounds, "3")
	_, err = texts.At(2)
	refuse(err, cairn.ErrBounds)
	wide, err := ViewAs[string](u.Field("N"))
	if err != nil {
		t.Fatal(err)
	}
	refuse(wide.Set("abc", 0), cairn.ErrBounds, "abc", "2")
	refuse(wide.Set("\xff", 0), cairn.ErrType)
	raw := make([]byte, u.TypeSize())
	f, _ := u.dtype.Field("N")
	raw[f.Offset+2] = 0x11
	if err := u.Write(t.Context(), raw, Index(1)); err != nil {
		t.Fatal(err)
	}
	_, err = wide.Read(t.Context())
	refuse(err, cairn.ErrCorrupt, "0x110000")
	all, err := u.Read(t.Context())
	if err != nil || !bytes.Equal(all, append(make([]byte, len(raw)), raw...)) {
		t.Errorf("writes that failed changed something: %v", err)
	}
}

func TestDTypesOfGo(t *testing.T) {
	for _, c := range []struct {
		of   any
		want string
	}{
		{int32(0), "<i4"}, {false, "|b1"}, {Float16{}, "<f2"}, {time.Time{}, "<M8[ns]"},
		{time.Duration(0), "<m8[ns]"}, {[2][3]int16{}, "('<i2', (2, 3))"},
		{goldenNested{}, "[('M', '<i2', (2, 3)), ('Pos', [('X', '<f4'), ('Y', '<f4')]), ('ID', '<u2')]"},
		{struct {
			A int8 `cairn:"it's \"a\""`
			B time.Time
			C [2]string `cairn:"c,(U3, (2,))"`
		}{}, `[('it\'s "a"', 'i1'), ('B', '<M8[ns]'), ('c', '<U3', (2,))]`},
	} {
		if got, err := govalue.DType(reflect.TypeOf(c.of)); err != nil || got != c.want {
			t.Errorf("%T: %s, want %s: %v", c.of, got, c.want, err)
		}
	}
}

func goldenWords() []string {
	return strings.Fields("cairn stone path ridge valley north marker summit weather drift fog snow mile")
}

// Every dtype and item must give values or an error.
func FuzzValues(f *testing.F) {
	f.Add("[('name', '<U3'), ('when', '<M8[7ps]'), ('took', '>m8[as]'), ('m', '>i2', (2, 2))]",
		[]byte("\x00\x00\x11\x00some bytes that are no text"))
	f.Add("{'names': ['name', 'm', 'took', 'when'], 'formats': ['S9', ('<i2', (2, 2)), '<m8[W]', '<M8[10Y]'], 'offsets': [3, 1, 9, 2], 'itemsize': 40}", bytes.Repeat([]byte{0x80, 0xff}, 30))
	f.Fuzz(func(t *testing.T, dtype string, data []byte) {
		u, err := NewUntyped(dtype, Shape{2}, &Options{Engine: chunk.Engine{Limits: cairn.Limits{MaxAlloc: 1 << 20}}})
		if err != nil {
			return
		}
		defer u.Close()
		v, err := As[struct {
			Name string
			When time.Time
			Took time.Duration
			M    [2][2]int16
		}](u)
		if err != nil || u.TypeSize() > 1<<16 {
			return
		}
		item := make([]byte, u.TypeSize())
		copy(item, data)
		if err := u.Fill(t.Context(), item); err != nil {
			t.Fatal(err)
		}
		got, err := v.Read(t.Context())
		if err != nil {
			if !errors.Is(err, cairn.ErrCorrupt) && !errors.Is(err, cairn.ErrBounds) &&
				!errors.Is(err, cairn.ErrLimit) {
				t.Fatalf("an error of no known kind: %v", err)
			}
			return
		}
		again := make([]byte, u.TypeSize())
		if err := second(v.layout.Encode(again, govalue.One(&got[0]), 0, 1)); err != nil &&
			!errors.Is(err, cairn.ErrBounds) && !errors.Is(err, cairn.ErrType) {
			t.Fatalf("%+v cannot be written: %v", got[0], err)
		}
	})
}

package netcdf_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/netcdf"
	"github.com/cairn-go/cairn/storage"
)

// typed returns the root of a file with a variable of each type, along records and without.
func typed(f netcdf.Format) *netcdf.Group {
	time := &netcdf.Dimension{Name: "time", Unlimited: true, Len: 5}
	x := &netcdf.Dimension{Name: "x", Len: 3}
	root := &netcdf.Group{Dimensions: []*netcdf.Dimension{x, time}, Attributes: []netcdf.Attribute{
		{Name: "title", Value: "a\nb"}, {Name: "numbers", Value: []float32{1.5, float32(math.Inf(1))}},
		{Name: "empty", Value: ""}, {Name: "int", Value: 7}, {Name: "double", Value: 0.1}}}
	names := []string{"byte", "char", "short", "int", "float", "double"}
	if f == netcdf.Data64 {
		names = append(names, "ubyte", "ushort", "uint", "int64", "uint64")
		root.Attributes = append(root.Attributes, netcdf.Attribute{Name: "large", Value: uint64(math.MaxUint64)})
	}
	for _, name := range names {
		root.Variables = append(root.Variables,
			&netcdf.Variable{Name: name, Type: netcdf.TypeNamed(name), Dimensions: []*netcdf.Dimension{x}},
			&netcdf.Variable{Name: name + "s", Type: netcdf.TypeNamed(name), Dimensions: []*netcdf.Dimension{time, x}})
	}
	return root
}

// rawItems are an array of any dtype.
type rawItems struct {
	shape ndarray.Shape
	dtype meta.DType
	data  []byte
}

func (s *rawItems) Shape() ndarray.Shape { return slices.Clone(s.shape) }

func (s *rawItems) DType() meta.DType { return s.dtype }

func (s *rawItems) Grid() (chunks, blocks ndarray.Shape) { return nil, nil }

func (s *rawItems) ReadBytes(_ context.Context, dst []byte, start, stop []int64) error {
	size := int64(s.dtype.Size())
	at := slices.Clone(start)
	for len(dst) > 0 {
		number := int64(0)
		for d, n := range s.shape {
			number = number*n + at[d]
		}
		dst = dst[copy(dst, s.data[number*size:][:size]):]
		for d := len(at) - 1; d >= 0; d-- {
			if at[d]++; at[d] < stop[d] {
				break
			}
			at[d] = start[d]
		}
	}
	return nil
}

// numbered returns an array whose bytes are all kinds of numbers.
func numbered(t *testing.T, dtype string, shape ndarray.Shape) (ndarray.Source, []byte) {
	t.Helper()
	d, err := meta.ParseDType(dtype)
	if err != nil {
		t.Fatal(err)
	}
	n := d.Size()
	for _, extent := range shape {
		n *= int(extent)
	}
	raw := make([]byte, n)
	for i := range raw {
		raw[i] = byte(i*7 + 1)
	}
	return &rawItems{shape, d, raw}, raw
}

func TestClassicFilesAreReadAsWritten(t *testing.T) {
	dtypes := map[string]string{"byte": "i1", "char": "S1", "short": "i2", "int": "i4", "float": "f4", "double": "f8",
		"ubyte": "u1", "ushort": "u2", "uint": "u4", "int64": "i8", "uint64": "u8"}
	for _, format := range []netcdf.Format{netcdf.Classic, netcdf.Offset64, netcdf.Data64} {
		for _, memory := range []int64{0, 1} {
			fsys := storage.NewMemory()
			root := typed(format)
			w, err := netcdf.Create("a.nc", root, &netcdf.CreateOptions{Format: format, FS: fsys, Memory: memory, Room: 100})
			if err != nil {
				t.Fatal(err)
			}
			want := map[string][]byte{}
			for _, v := range root.Variables {
				src, raw := numbered(t, ">"+dtypes[v.Type.Name], v.Shape())
				if err := w.Put(t.Context(), v.Name, src); err != nil {
					t.Fatal(err)
				}
				want[v.Name] = raw
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}

			f, err := netcdf.Open("a.nc", &netcdf.OpenOptions{FS: fsys})
			if err != nil {
				t.Fatal(err)
			}
			if f.Format() != format || f.Truncated() != nil || len(f.Root().Variables) != len(root.Variables) {
				t.Errorf("%v, %v, %d variables", f.Format(), f.Truncated(), len(f.Root().Variables))
			}
			for name, raw := range want {
				v, err := f.Variable(t.Context(), name)
				if err != nil {
					t.Fatal(err)
				}
				got := make([]byte, len(raw))
				if err := v.ReadBytes(t.Context(), got, make([]int64, len(v.Shape())), v.Shape()); err != nil {
					t.Fatal(err)
				}
				if !bytes.Equal(got, raw) {
					t.Errorf("%v, %s: got %x, want %x", format, name, got, raw)
				}
			}
			a, err := f.Attributes(t.Context(), "/")
			if err != nil {
				t.Fatal(err)
			}
			for name, value := range map[string]any{"title": "a\nb", "empty": "", "int": int64(7), "double": 0.1,
				"numbers": []any{float32(1.5), float32(math.Inf(1))}} {
				if got, _ := a.Get(name); !reflect.DeepEqual(got, value) {
					t.Errorf("attribute %s is %#v, want %#v", name, got, value)
				}
			}
			f.Close()
		}
	}
}

// TestManySmallRecords writes records that are much smaller than what is written at once.
func TestManySmallRecords(t *testing.T) {
	fsys := storage.NewMemory()
	time := &netcdf.Dimension{Name: "time", Unlimited: true, Len: 200_000}
	root := &netcdf.Group{Dimensions: []*netcdf.Dimension{time}}
	for _, name := range []string{"a", "b", "c"} {
		root.Variables = append(root.Variables, &netcdf.Variable{Name: name, Type: netcdf.TypeNamed("short"),
			Dimensions: []*netcdf.Dimension{time}})
	}
	w, err := netcdf.Create("a.nc", root, &netcdf.CreateOptions{Format: netcdf.Offset64, FS: fsys, Memory: 100_001})
	if err != nil {
		t.Fatal(err)
	}
	values := make([]int16, time.Len)
	for _, name := range []string{"c", "a"} {
		for i := range values {
			values[i] = int16(i*31) + int16(name[0])
		}
		if err := w.Put(t.Context(), name, inMemory(t, values, ndarray.Shape{time.Len})); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}

	f, err := netcdf.Open("a.nc", &netcdf.OpenOptions{FS: fsys})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for i, v := range f.Root().Variables {
		view, err := ndarray.ViewAs[int16](v)
		if err != nil {
			t.Fatal(err)
		}
		got, err := view.Read(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for k := range got {
			want := int16(k*31) + int16(v.Name[0])
			if i == 1 {
				want = -32767 // never written
			}
			if got[k] != want {
				t.Fatalf("%s[%d] is %d, want %d", v.Name, k, got[k], want)
			}
		}
	}
}

func TestTextsBecomeChars(t *testing.T) {
	fsys := storage.NewMemory()
	n := &netcdf.Dimension{Name: "n", Len: 3}
	width := &netcdf.Dimension{Name: "width", Len: 4}
	root := &netcdf.Group{Dimensions: []*netcdf.Dimension{n, width}, Variables: []*netcdf.Variable{
		{Name: "s", Type: netcdf.TypeNamed("char"), Dimensions: []*netcdf.Dimension{n, width}},
		{Name: "u", Type: netcdf.TypeNamed("char"), Dimensions: []*netcdf.Dimension{n, width}}}}
	w, err := netcdf.Create("a.nc", root, &netcdf.CreateOptions{Format: netcdf.Classic, FS: fsys})
	if err != nil {
		t.Fatal(err)
	}

	text := func(values ...string) ndarray.Source {
		a, err := ndarray.FromSlice(values, ndarray.Shape{int64(len(values))}, nil)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	if err := w.Put(t.Context(), "u", text("é€", "toolong", "c")); !errors.Is(err, cairn.ErrBounds) {
		t.Errorf("a text that is too long: %v", err)
	}
	if err := w.Close(); err == nil {
		t.Error("a file without some items is complete")
	}

	if w, err = netcdf.Create("a.nc", root, &netcdf.CreateOptions{Format: netcdf.Classic, FS: fsys}); err != nil {
		t.Fatal(err)
	}
	bytesOf, _ := numbered(t, "|S2", ndarray.Shape{3})
	err = errors.Join(w.Put(t.Context(), "u", text("é", "四", "")), w.Put(t.Context(), "s", bytesOf), w.Close())
	if err != nil {
		t.Fatal(err)
	}
	if f, err := netcdf.Open("a.nc", &netcdf.OpenOptions{FS: fsys}); err != nil {
		t.Error(err)
	} else {
		v, _ := f.Variable(t.Context(), "u")
		got := make([]byte, 12)
		if err := v.ReadBytes(t.Context(), got, []int64{0, 0}, []int64{3, 4}); err != nil || string(got) != "é\x00\x00四\x00\x00\x00\x00\x00" {
			t.Errorf("%q, %v", got, err)
		}
		v, _ = f.Variable(t.Context(), "s")
		if err := v.ReadBytes(t.Context(), got, []int64{0, 0}, []int64{3, 4}); err != nil || string(got) != "\x01\x08\x00\x00\x0f\x16\x00\x00\x1d$\x00\x00" {
			t.Errorf("%q, %v", got, err)
		}
	}
}

func TestWhatClassicFilesCannotHoldIsRefused(t *testing.T) {
	long := &netcdf.Dimension{Name: "long", Len: math.MaxInt32 - 10}
	some := &netcdf.Dimension{Name: "some", Len: 2}
	open := &netcdf.Dimension{Name: "open", Unlimited: true}
	all := []*netcdf.Dimension{long, some, open}
	variable := func(name, of string, dims ...*netcdf.Dimension) *netcdf.Variable {
		return &netcdf.Variable{Name: name, Type: netcdf.TypeNamed(of), Dimensions: dims}
	}
	for _, c := range []struct {
		says   string
		format netcdf.Format
		root   netcdf.Group
	}{
		{"groups", netcdf.Classic, netcdf.Group{Groups: []*netcdf.Group{{Name: "g"}}}},
		{"uint64", netcdf.Offset64, netcdf.Group{Variables: []*netcdf.Variable{variable("v", "uint64")}}},
		{"string", netcdf.Data64, netcdf.Group{Variables: []*netcdf.Variable{variable("v", "string")}}},
		{"no type", netcdf.Data64, netcdf.Group{Variables: []*netcdf.Variable{{Name: "v"}}}},
		{"called", netcdf.Data64, netcdf.Group{Variables: []*netcdf.Variable{variable("a/b", "int")}}},
		{"called", netcdf.Data64, netcdf.Group{Attributes: []netcdf.Attribute{{Name: "", Value: 1}}}},
		{"two variables", netcdf.Data64, netcdf.Group{Variables: []*netcdf.Variable{variable("v", "int"), variable("v", "int")}}},
		{"not the first", netcdf.Data64, netcdf.Group{Dimensions: all, Variables: []*netcdf.Variable{variable("v", "int", some, open)}}},
		{"none of the file", netcdf.Data64, netcdf.Group{Variables: []*netcdf.Variable{variable("v", "int", some)}}},
		{"length 0", netcdf.Data64, netcdf.Group{Dimensions: []*netcdf.Dimension{{Name: "d"}}}},
		{"two unlimited", netcdf.Data64, netcdf.Group{Dimensions: []*netcdf.Dimension{open, {Name: "d", Unlimited: true}}}},
		{"not the last", netcdf.Offset64, netcdf.Group{Dimensions: all, Variables: []*netcdf.Variable{variable("v", "double", long), variable("w", "int")}}},
		{"not the last", netcdf.Offset64, netcdf.Group{Dimensions: all, Variables: []*netcdf.Variable{variable("v", "double", long), variable("w", "int", open)}}},
		{"at byte", netcdf.Classic, netcdf.Group{Dimensions: all, Variables: []*netcdf.Variable{variable("v", "byte", long), variable("u", "byte", long), variable("w", "int")}}},
		{"Go type", netcdf.Data64, netcdf.Group{Attributes: []netcdf.Attribute{{Name: "a", Value: struct{}{}}}}},
		{"is no byte", netcdf.Data64, netcdf.Group{Attributes: []netcdf.Attribute{{Name: "a", Value: 300, Type: netcdf.TypeNamed("byte")}}}},
		{"is no uint", netcdf.Data64, netcdf.Group{Attributes: []netcdf.Attribute{{Name: "a", Value: -1, Type: netcdf.TypeNamed("uint")}}}},
		{"is no double", netcdf.Offset64, netcdf.Group{Attributes: []netcdf.Attribute{{Name: "a", Value: int64(math.MaxInt64)}}}},
	} {
		path := filepath.Join(t.TempDir(), "a.nc")
		_, err := netcdf.Create(path, &c.root, &netcdf.CreateOptions{Format: c.format})
		if err == nil || !strings.Contains(strings.ToLower(err.Error()), strings.ToLower(c.says)) {
			t.Errorf("got %v, want what says %q", err, c.says)
		}
		if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: a file is there: %v", c.says, err)
		}
	}
}

func TestItemsOfOtherArraysAreRefused(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.nc")
	w, err := netcdf.Create(path, typed(netcdf.Classic), &netcdf.CreateOptions{Format: netcdf.Classic})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		key  string
		src  ndarray.Source
		want error
	}{
		{"nothing", inMemory(t, []int8{1, 2, 3}, ndarray.Shape{3}), cairn.ErrNotFound},
		{"short", inMemory(t, []int8{1, 2, 3}, ndarray.Shape{3}), cairn.ErrType},
		{"short", inMemory(t, []int16{1, 2}, ndarray.Shape{2}), cairn.ErrBounds},
		{"short", inMemory(t, []complex64{1, 2, 3}, ndarray.Shape{3}), cairn.ErrUnsupported},
	} {
		if err := w.Put(t.Context(), c.key, c.src); !errors.Is(err, c.want) {
			t.Errorf("%s: got %v, want %v", c.key, err, c.want)
		}
	}
	if err := w.Abort(); err != nil {
		t.Error(err)
	}
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("%v is left", left)
	}
}

// FuzzCopy copies what a classic file has into a new one, which must have the same header.
func FuzzCopy(f *testing.F) {
	paths, err := filepath.Glob("testdata/*.nc")
	if err != nil {
		f.Fatal(err)
	}
	for _, path := range paths {
		if b, err := os.ReadFile(path); err == nil && len(b) < 10<<10 {
			f.Add(b)
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		from, err := netcdf.OpenReader(bytes.NewReader(b), int64(len(b)), nil)
		if err != nil || from.Format() == netcdf.NetCDF4 || from.Truncated() != nil {
			return
		}
		fsys := storage.NewMemory()
		w, err := netcdf.Create("a.nc", from.Root(), &netcdf.CreateOptions{Format: from.Format(), FS: fsys, Memory: 1000})
		if err != nil {
			return // names that programs refuse, or a variable that others share their bytes with
		}
		for _, v := range from.Root().Variables {
			if err := w.Put(t.Context(), v.Name, v); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}

		to, err := netcdf.Open("a.nc", &netcdf.OpenOptions{FS: fsys})
		if err != nil {
			t.Fatal(err)
		}
		defer to.Close()
		var want, got bytes.Buffer
		if err := errors.Join(from.Header(&want, "a"), to.Header(&got, "a")); err != nil {
			t.Fatal(err)
		}
		if got.String() != want.String() {
			t.Fatalf("got\n%s, want\n%s", &got, &want)
		}
	})
}

// inMemory returns items as a source on machines of either byte order.
func inMemory[T any](t *testing.T, values []T, shape ndarray.Shape) ndarray.Source {
	t.Helper()
	a, err := ndarray.FromSlice(values, shape, nil)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

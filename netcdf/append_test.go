package netcdf_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/hdf5"
	"github.com/cairn-go/cairn/hdf5/filter"
	"github.com/cairn-go/cairn/internal/test/storagetest"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/netcdf"
	"github.com/cairn-go/cairn/storage"
)

// station returns the root of a file of variables that share a dimension, or of a single one.
func station(rows int64, single bool) *netcdf.Group {
	time := &netcdf.Dimension{Name: "time", Unlimited: true, Len: rows}
	x := &netcdf.Dimension{Name: "x", Len: 3}
	root := &netcdf.Group{Dimensions: []*netcdf.Dimension{time, x}, Variables: []*netcdf.Variable{
		{Name: "x", Type: netcdf.TypeNamed("int"), Dimensions: []*netcdf.Dimension{x}},
		{Name: "b", Type: netcdf.TypeNamed("byte"), Dimensions: []*netcdf.Dimension{time, x}}}}
	if !single {
		root.Variables = append(root.Variables,
			&netcdf.Variable{Name: "time", Type: netcdf.TypeNamed("double"), Dimensions: []*netcdf.Dimension{time}},
			&netcdf.Variable{Name: "s", Type: netcdf.TypeNamed("short"), Dimensions: []*netcdf.Dimension{time, x},
				Attributes: []netcdf.Attribute{{Name: "_FillValue", Value: int16(-9)}}})
	}
	return root
}

// createStation writes a file whose items are numbered.
func createStation(t *testing.T, fsys storage.FS, root *netcdf.Group, o *netcdf.CreateOptions) {
	t.Helper()
	o.FS = fsys
	w, err := netcdf.Create("a.nc", root, o)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range root.Variables {
		if err := w.Put(t.Context(), v.Name, rowsOf(t, v, v.Shape()[0], 1)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

// rowsOf returns rows for a variable, which begin with a byte.
func rowsOf(t *testing.T, v *netcdf.Variable, n int64, first byte) ndarray.Source {
	t.Helper()
	d, err := meta.ParseDType(map[string]string{"byte": "|i1", "short": ">i2", "int": ">i4",
		"double": ">f8"}[v.Type.Name])
	if err != nil {
		t.Fatal(err)
	}
	shape := v.Shape()
	shape[0] = n
	size := int64(d.Size())
	for _, extent := range shape {
		size *= extent
	}
	raw := make([]byte, size)
	for i := range raw {
		raw[i] = first + byte(i%100)
	}
	return &rawItems{shape, d, raw}
}

// contentOf returns all items of a file.
func contentOf(t *testing.T, fsys storage.FS) (string, error) {
	t.Helper()
	f, err := netcdf.Open("a.nc", &netcdf.OpenOptions{FS: fsys, NoCache: true})
	if err != nil {
		return "", err
	}
	defer f.Close()
	var b strings.Builder
	for _, v := range f.Root().Variables {
		if _, err := f.Variable(t.Context(), v.Name); err != nil {
			return "", err
		}
		n := int64(v.DType().Size())
		for _, extent := range v.Shape() {
			n *= extent
		}
		items := make([]byte, n)
		if err := v.ReadBytes(t.Context(), items, make([]int64, len(v.Shape())), v.Shape()); err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "%s %v %x\n", v.Name, v.Shape(), items)
	}
	return b.String(), errors.Join(f.Truncated())
}

// appendSome appends rows in several commits, and returns the contents after them, and how many
// operations each had begun and ended after.
func appendSome(t *testing.T, r *storagetest.Recorder) (states []string, from, to []int) {
	t.Helper()
	note := func() {
		now, err := contentOf(t, r)
		if err != nil {
			t.Fatal(err)
		}
		states = append(states, now)
	}

	note()
	a, err := netcdf.Append("a.nc", &netcdf.AppendOptions{FS: r})
	if err != nil {
		t.Fatal(err)
	}
	f, err := netcdf.Open("a.nc", &netcdf.OpenOptions{FS: r})
	if err != nil {
		t.Fatal(err)
	}
	for k, n := range []int64{1, 3, 40} {
		for i, v := range f.Root().Variables {
			if len(v.Dimensions) > 0 && v.Dimensions[0].Unlimited && (k != 1 || i%2 == 1) {
				if err := a.AppendRows(t.Context(), v.Name, rowsOf(t, v, n, byte(10*k))); err != nil {
					t.Fatal(err)
				}
				if k == 2 {
					if err := a.AppendRows(t.Context(), "/"+v.Name, rowsOf(t, v, 2, 7)); err != nil {
						t.Fatal(err)
					}
				}
			}
		}
		from = append(from, r.Len())
		if err := a.Commit(t.Context()); err != nil {
			t.Fatal(err)
		}
		to = append(to, r.Len())
		note()
	}
	if err := errors.Join(a.Close(), f.Close()); err != nil {
		t.Fatal(err)
	}
	return states, from, to
}

// checkCrashes crashes what a recorder has after a number of operations, and looks for a content
// that is neither that of the last commit nor that of the one under way.
//
// apart says that variables grow one after the other.
func checkCrashes(t *testing.T, r *storagetest.Recorder, settled int, states []string, from, to []int, apart bool) {
	t.Helper()
	log := storagetest.NewLog(r.Ops())
	points := 0
	sweep := storagetest.Sweep{Seed: 1, Subsets: 5, Samples: 12}
	if apart {
		sweep = storagetest.Sweep{Seed: 1, Subsets: 3, Samples: 2}
	}
	for c := range log.Crashes(sweep, settled, len(log.Ops)) {
		points++
		had := 0 // commits that were acknowledged
		for had < len(to) && to[had] <= c.At && !(c.Model == storagetest.Torn && c.At == to[had]) {
			had++
		}
		got, err := contentOf(t, log.Image(c))
		under := had < len(from) && c.At > from[had] // a commit
		if err != nil || got != states[had] && !(under && (got == states[had+1] || apart && begins(got, states[had]))) {
			t.Fatalf("%v after %d commits: %v\n%s\nwant\n%s\n%s", c, had, err, got, states[had], log.Describe(c))
		}
	}
	if points < 50 {
		t.Errorf("only %d crashes", points)
	}
}

// begins reports whether all variables of a content have the items of another one.
func begins(got, has string) bool {
	now := strings.Split(got, "\n")
	for i, line := range strings.Split(has, "\n") {
		name, rest, ok := strings.Cut(line, " ")
		_, items, _ := strings.Cut(rest, "] ")
		if ok && (!strings.HasPrefix(now[i], name+" ") || !strings.Contains(now[i], "] "+items)) {
			return false
		}
	}
	return true
}

func TestCrashesWhileAppendingToNetCDF4LoseNothing(t *testing.T) {
	for _, filters := range [][]filter.Filter{nil, {{ID: filter.Shuffle}, {ID: filter.Deflate}}} {
		for _, rows := range []int64{0, 5} {
			r := storagetest.NewRecorder()
			o := &netcdf.CreateOptions{Dataset: func(key string, v *netcdf.Variable) *hdf5.DatasetOptions {
				d := &hdf5.DatasetOptions{}
				if v.Dimensions[0].Unlimited {
					d.Filters = filters
					d.Chunks = ndarray.Shape{4, 2}[:len(v.Dimensions)]
				}
				return d
			}}
			createStation(t, r, station(rows, false), o)
			settled := r.Len()
			states, from, to := appendSome(t, r)
			checkCrashes(t, r, settled, states, from, to, true)
		}
	}
}

func TestCrashesWhileAppendingLoseNothing(t *testing.T) {
	for _, format := range []netcdf.Format{netcdf.Classic, netcdf.Offset64, netcdf.Data64} {
		for _, single := range []bool{false, true} {
			r := storagetest.NewRecorder()
			createStation(t, r, station(5, single), &netcdf.CreateOptions{Format: format})
			settled := r.Len()
			states, from, to := appendSome(t, r)
			checkCrashes(t, r, settled, states, from, to, false)
		}
	}
}

func TestAppendedRowsEqualThoseOfANewFile(t *testing.T) {
	for _, format := range []netcdf.Format{netcdf.Classic, netcdf.Data64} {
		fsys := storage.NewMemory()
		createStation(t, fsys, station(2, false), &netcdf.CreateOptions{Format: format})
		f := openIn(t, fsys)
		a, err := netcdf.Append("a.nc", &netcdf.AppendOptions{FS: fsys, Memory: 1})
		if err != nil {
			t.Fatal(err)
		}
		if err := a.AppendRows(t.Context(), "b", rowsOf(t, f.Root().Variables[1], 2, 50)); err != nil {
			t.Fatal(err)
		}
		if err := a.Close(); err != nil {
			t.Fatal(err)
		}

		got, err := contentOf(t, fsys)
		want := "x [3] 0102030405060708090a0b0c\nb [4 3] 010203040506323334353637\n" +
			"time [4] 0102030405060708090a0b0c0d0e0f10479e000000000000479e000000000000\n" +
			"s [4 3] 0102030405060708090a0b0cfff7fff7fff7fff7fff7fff7\n"
		if err != nil || got != want {
			t.Errorf("%v: %v\n%s", format, err, got)
		}
	}
}

func openIn(t *testing.T, fsys storage.FS) *netcdf.File {
	t.Helper()
	f, err := netcdf.Open("a.nc", &netcdf.OpenOptions{FS: fsys})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// rewrite changes the bytes of a file.
func rewrite(t *testing.T, fsys storage.FS, at int64, b ...byte) {
	t.Helper()
	f, err := fsys.OpenRW("a.nc")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteAt(b, at); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestAppendCountsRecordsOfStreams appends to files whose number of records is open.
func TestAppendCountsRecordsOfStreams(t *testing.T) {
	fsys := storage.NewMemory()
	createStation(t, fsys, station(2, false), &netcdf.CreateOptions{Format: netcdf.Classic})
	rewrite(t, fsys, 4, 0xff, 0xff, 0xff, 0xff)
	want, err := contentOf(t, fsys)
	if err != nil {
		t.Fatal(err)
	}
	a, err := netcdf.Append("a.nc", &netcdf.AppendOptions{FS: fsys})
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	file, err := fsys.Open("a.nc")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var n [4]byte
	if _, err := file.ReadAt(n[:], 4); err != nil || binary.BigEndian.Uint32(n[:]) != 2 {
		t.Errorf("%v, %x records", err, n)
	}
	if got, err := contentOf(t, fsys); err != nil || got != want {
		t.Errorf("%v\n%s", err, got)
	}

	// A record that lacks its end may be on its way.
	rewrite(t, fsys, 4, 0xff, 0xff, 0xff, 0xff)
	size, err := file.Size()
	if err != nil {
		t.Fatal(err)
	}
	rewrite(t, fsys, size, bytes.Repeat([]byte{1}, 5)...)
	if _, err := netcdf.Append("a.nc", &netcdf.AppendOptions{FS: fsys}); !errors.Is(err, cairn.ErrUnsupported) {
		t.Error(err)
	}
}

func TestAppendRefuses(t *testing.T) {
	fsys := storage.NewMemory()
	root := station(2, false)
	createStation(t, fsys, root, &netcdf.CreateOptions{Format: netcdf.Classic})
	before, err := contentOf(t, fsys)
	if err != nil {
		t.Fatal(err)
	}
	a, err := netcdf.Append("a.nc", &netcdf.AppendOptions{FS: fsys})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := netcdf.Append("a.nc", &netcdf.AppendOptions{FS: fsys}); !errors.Is(err, cairn.ErrLocked) {
		t.Errorf("a second one: %v", err)
	}
	v := root.Variables
	for key, c := range map[string]struct {
		src  ndarray.Source
		want error
	}{
		"none": {rowsOf(t, v[1], 1, 0), cairn.ErrNotFound}, "x": {rowsOf(t, v[0], 1, 0), cairn.ErrUnsupported},
		"b": {rowsOf(t, v[3], 1, 0), cairn.ErrType}, "time": {rowsOf(t, v[1], 1, 0), cairn.ErrType},
		"s": {ndarray.Items([]int16{1, 2}, ndarray.Shape{1, 2}), cairn.ErrBounds},
	} {
		if err := a.AppendRows(t.Context(), key, c.src); !errors.Is(err, c.want) {
			t.Errorf("%s: %v", key, err)
		}
	}
	if err := a.Close(); err != nil {
		t.Error(err)
	}
	if err := a.AppendRows(t.Context(), "b", rowsOf(t, v[1], 1, 0)); !errors.Is(err, cairn.ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
	if after, err := contentOf(t, fsys); err != nil || after != before {
		t.Errorf("%v\n%s", err, after)
	}

	rewrite(t, fsys, 4, 0, 0, 1, 0) // records
	if _, err := netcdf.Append("a.nc", &netcdf.AppendOptions{FS: fsys}); !errors.Is(err, cairn.ErrCorrupt) {
		t.Errorf("a truncated file: %v", err)
	}
	none := &netcdf.Group{Dimensions: v[0].Dimensions, Variables: v[:1]}
	createStation(t, fsys, none, &netcdf.CreateOptions{Format: netcdf.Classic, Overwrite: true})
	if _, err := netcdf.Append("a.nc", &netcdf.AppendOptions{FS: fsys}); !errors.Is(err, cairn.ErrUnsupported) {
		t.Errorf("no records: %v", err)
	}
}

// FuzzAppendClassic appends to damaged files: none becomes larger than its records are.
func FuzzAppendClassic(f *testing.F) {
	for _, format := range []netcdf.Format{netcdf.Classic, netcdf.Offset64, netcdf.Data64} {
		fsys := storage.NewMemory()
		root := station(2, false)
		w, err := netcdf.Create("a.nc", root, &netcdf.CreateOptions{Format: format, FS: fsys})
		if err == nil {
			err = w.Close()
		}
		if err != nil {
			f.Fatal(err)
		}
		file, err := fsys.Open("a.nc")
		if err != nil {
			f.Fatal(err)
		}
		size, err := file.Size()
		if err != nil {
			f.Fatal(err)
		}
		b := make([]byte, size)
		if _, err := file.ReadAt(b, 0); err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		fsys := storage.NewMemory()
		file, err := fsys.Create("a.nc")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := file.WriteAt(b, 0); err != nil {
			t.Fatal(err)
		}
		before, err := netcdf.Open("a.nc", &netcdf.OpenOptions{FS: fsys})
		if err != nil {
			return
		}
		for _, v := range before.Root().Variables {
			n := int64(1)
			for _, d := range v.Dimensions {
				n *= min(max(1, d.Len), 1<<16)
				if n > 1<<16 {
					return // rows that memory should not hold
				}
			}
		}
		a, err := netcdf.Append("a.nc", &netcdf.AppendOptions{FS: fsys})
		if err != nil {
			return
		}
		for _, v := range before.Root().Variables {
			if len(v.Dimensions) == 1 && v.Dimensions[0].Unlimited && v.Type.Name == "double" {
				_ = a.AppendRows(t.Context(), v.Name, ndarray.Items([]float64{1}, ndarray.Shape{1}))
			}
		}
		if a.Close() != nil {
			return
		}
		if after, err := netcdf.Open("a.nc", &netcdf.OpenOptions{FS: fsys}); err != nil || after.Truncated() != nil {
			t.Error(err)
		}
	})
}

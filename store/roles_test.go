package store

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/meta"
)

// TestRemoteArrays opens carriers of remote arrays of every source, with and without items that
// were fetched. They are described, verified and copied, but not read.
func TestRemoteArrays(t *testing.T) {
	s, err := Open("testdata/carriers.b2z", nil)
	check(t, err)
	defer s.Close()
	layers := map[string]string{"b2nd": "", "hdf5": "hdf5-index", "zarr": "zarr-metadata", "b2z": "b2z-frame"}
	for source, layer := range layers {
		for _, part := range []string{"none", "some", "all"} {
			key := "/" + source + "/" + part
			if kind, err := s.Kind(key); err != nil || kind != Reference {
				t.Errorf("%s is a %s, %v", key, kind, err)
			}
			u, err := s.Array(t.Context(), key)
			check(t, err)
			_, err = u.Read(t.Context())
			want := `an array of kind "remote_array" from "memory://c/a.` + strings.Replace(source, "hdf5", "h5", 1)
			if !errors.Is(err, cairn.ErrUnsupported) || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v", key, err)
			}
			if fmt.Sprint(u.Shape(), u.DType()) != "[10 10] <i4" {
				t.Errorf("%s has shape %v and dtype %v", key, u.Shape(), u.DType())
			}
			if _, err := u.Frame().VL(layer); layer != "" && err != nil {
				t.Errorf("%s: %v", key, err)
			}
			check(t, u.Close())
			_, err = s.Verify(t.Context(), key)
			check(t, err)
		}
	}
	check(t, s.Copy(t.Context(), t.TempDir()+"/copy.b2d", nil))
}

// TestVersionsOfSchemas reads tables of the three versions, and columns of objects of every role.
func TestVersionsOfSchemas(t *testing.T) {
	s, err := Open("testdata/scalars.b2z", nil)
	check(t, err)
	defer s.Close()
	v1, err := s.Table(t.Context(), "/v1")
	check(t, err)
	values := map[string]string{"b": "[[] [1] [2 2] [3 3 3]]", "o": "[<nil> 1 two [3 [4]]]", "t": "[ <nil> t2t2 t3t3t3]",
		"s": "[[{k 0} {v }] [{k 1} {v v}] <nil> [{k 3} {v vvv}]]"}
	for _, c := range v1.Columns[1:] {
		if c.Encoding != BatchColumn || c.Nullable != NullsNative {
			t.Errorf("%s is stored as %s, %s", c.Name, c.Encoding, c.Nullable)
		}
		if got := fmt.Sprint(valuesOf(t, s, c.Leaf)); got != values[c.Name] {
			t.Errorf("%s: %s", c.Name, got)
		}
	}
	if v3, err := s.Table(t.Context(), "/v3"); err != nil || v3.Rows != 2 || v3.Columns[0].Nullable != NullMask ||
		v3.Columns[0].Mask != "/v3/_cols/x.notnull" {
		t.Errorf("version 3: %+v, %v", v3, err)
	}
	nested, err := Open("testdata/nested.b2z", nil)
	check(t, err)
	defer nested.Close()
	v2, err := nested.Table(t.Context(), "/")
	check(t, err)
	for i, want := range []string{"id /_cols/id", "trip.km /_cols/trip/km", "trip.to.lon /_cols/trip/to/lon",
		"trip.to.lat /_cols/trip/to/lat"} {
		if c := v2.Columns[i]; c.Name+" "+c.Leaf != want || c.Nullable != NoNulls {
			t.Errorf("version 2: column %+v, want %s", c, want)
		}
	}
	u, err := nested.Array(t.Context(), "/_cols/trip/to/lat")
	check(t, err)
	data, err := u.Read(t.Context())
	if err != nil || binary.LittleEndian.Uint32(data[8:]) != 0xc0000000 { // -2
		t.Errorf("latitudes %x, %v", data, err)
	}
	check(t, u.Close())
}

// TestNewSchemasAreRefused gives a table a version of the schema that there is not yet.
func TestNewSchemasAreRefused(t *testing.T) {
	dir := t.TempDir() + "/t.b2d"
	s, err := Open("testdata/scalars.b2z", nil)
	check(t, err)
	check(t, s.Copy(t.Context(), dir, nil))
	check(t, s.Close())
	e, err := Edit(dir, nil)
	check(t, err)
	check(t, e.ChangeFrame(t.Context(), "/v1/_meta", func(f *frame.Frame) error {
		text, err := meta.Pack(`{"version": 4, "columns": [], "n_rows": 0}`)
		check(t, err)
		return f.SetVL("schema", text)
	}))
	check(t, e.Close())
	if s, err = Open(dir, nil); err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err := s.Table(t.Context(), "/v1"); !errors.Is(err, cairn.ErrUnsupported) ||
		!strings.Contains(err.Error(), "schema of version 4") {
		t.Error(err)
	}
}

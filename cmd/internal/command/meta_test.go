package command

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/internal/test/golden"
	"github.com/cairn-go/cairn/meta"
)

// goldenCopy returns the path of a copy of a golden file.
func goldenCopy(t *testing.T, name string) (string, *golden.Case) {
	t.Helper()
	m, err := golden.Load()
	if err != nil {
		t.Fatal(err)
	}
	c, err := m.Find(name)
	if err != nil {
		t.Fatal(err)
	}
	file, err := c.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, file, 0o666); err != nil {
		t.Fatal(err)
	}
	return path, c
}

func TestMetaReadsMetalayersOfTheLibrary(t *testing.T) {
	path, c := goldenCopy(t, "partly-written.b2nd")
	if got := cairnOK(t, "meta", "get", path, "units"); got != "\"m\"\n" {
		t.Errorf("units are %q", got)
	}
	list := cairnOK(t, "meta", "get", path)
	if !strings.Contains(list, "fixed  b2nd (") || !strings.Contains(list, "vl     units (2 bytes): \"m\"\n") {
		t.Errorf("list is %q", list)
	}
	sum := sha256.Sum256([]byte(cairnOK(t, "meta", "get", "-raw", path, "units")))
	if hex.EncodeToString(sum[:]) != c.VLMeta["units"].SHA256 {
		t.Error("the raw value is another one")
	}
	path, _ = goldenCopy(t, "vlmeta-no-data.b2frame")
	if got := cairnOK(t, "meta", "get", path, "only"); got != "{\"this\":1}\n" {
		t.Errorf("only is %q", got)
	}
	path, c = goldenCopy(t, "extra-meta.b2nd")
	if sum := sha256.Sum256([]byte(cairnOK(t, "meta", "get", "-raw", path, "crs"))); hex.EncodeToString(sum[:]) != c.Meta["crs"].SHA256 {
		t.Error("the fixed metalayer is another one")
	}
}

func TestMetaSetsAndRemoves(t *testing.T) {
	path, _ := goldenCopy(t, "partly-written.b2nd")
	items := cairnOK(t, "cat", path)
	for _, value := range []string{
		`{"b":[1,-2.5,null,true],"a":{"é":""}}`, `18446744073709551615`, `-9223372036854775808`, `1e+30`, `"K"`, `[]`, `{}`,
	} {
		cairnOK(t, "meta", "set", path, "units", "--", value)
		if got := cairnOK(t, "meta", "get", path, "units"); got != value+"\n" {
			t.Errorf("%s became %s", value, got)
		}
	}
	cairnOK(t, "meta", "set", path, "order", `{"b":1,"a":2.5,"b":3}`)
	f, err := frame.Open(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	packed, err := f.VL("order")
	want, _ := meta.Pack(meta.Map{{Key: "a", Value: 2.5}, {Key: "b", Value: 3}})
	if err != nil || !bytes.Equal(packed, want) {
		t.Errorf("% x, want % x: %v", packed, want, err)
	}
	f.Close()
	r := cairnWith(t.Context(), strings.NewReader("\x00\xff"), "meta", "set", "-raw", path, "blob", "-")
	if r.code != 0 {
		t.Fatal(r.stderr)
	}
	if got := cairnOK(t, "meta", "get", "-raw", path, "blob"); got != "\x00\xff" {
		t.Errorf("the blob is %q", got)
	}
	cairnOK(t, "meta", "rm", path, "units")
	if list := cairnOK(t, "meta", "get", path); strings.Contains(list, "units") || !strings.Contains(list, "order") {
		t.Errorf("list is %q", list)
	}
	if cairnOK(t, "cat", path) != items {
		t.Error("items changed")
	}
	cairnOK(t, "verify", path)
}

func TestMetaRefuses(t *testing.T) {
	path, _ := goldenCopy(t, "partly-written.b2nd")
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	wantFailure(t, cairnWith(t.Context(), nil, "meta", "get", path, "none"), "none")
	wantFailure(t, cairnWith(t.Context(), nil, "meta", "rm", path, "none"), "none")
	wantFailure(t, cairnWith(t.Context(), nil, "meta", "rm", path, "b2nd"), "b2nd")
	wantFailure(t, cairnWith(t.Context(), nil, "meta", "set", path, strings.Repeat("n", 32), "1"), "31")
	wantFailure(t, cairnWith(t.Context(), nil, "meta", "set", path+"x", "n", "1"), "x")
	for _, args := range [][]string{
		{"meta"}, {"meta", "put", path}, {"meta", "get"}, {"meta", "set", path, "n"}, {"meta", "set", path, "n", "K"},
		{"meta", "set", path, "n", "1 2"},
		{"meta", "set", path, "n", "1e999"}, {"meta", "rm", path}, {"meta", "get", "-raw", path},
	} {
		if r := cairnWith(t.Context(), nil, args...); r.code != exitUsage {
			t.Errorf("%v: exit %d, %q", args, r.code, r.stderr)
		}
	}
	if after, err := os.ReadFile(path); err != nil || !bytes.Equal(before, after) {
		t.Error("the file was changed")
	}
}

// TestAttributesOfOtherFormatsChange changes NetCDF-4 and HDF5 files in place, and refuses others.
func TestAttributesOfOtherFormatsChange(t *testing.T) {
	dir := t.TempDir()
	copied := func(from, to string) string {
		path := filepath.Join(dir, to)
		writeFile(t, path, readFile(t, "../../../"+from))
		return path
	}
	for _, path := range []string{copied("netcdf/testdata/netcdf4.nc", "n.nc"), copied("hdf5/testdata/groups-latest.h5", "h.h5")} {
		for _, value := range []string{`"a text"`, `7`, `[1.5,2]`, `""`, `"ä"`} {
			cairnOK(t, "meta", "set", path, "made", value)
			got := cairnOK(t, "meta", "get", path, "made")
			if got != value+"\n" && value != `""` && got != "["+value+"]\n" {
				t.Errorf("%s: %s, set to %s", path, got, value)
			}
		}
		cairnOK(t, "meta", "rm", path, "made")
		wantFailure(t, cairnWith(t.Context(), nil, "meta", "get", path, "made"), "no attribute")
		wantFailure(t, cairnWith(t.Context(), nil, "meta", "rm", path, "made"), "no attribute")
		wantFailure(t, cairnWith(t.Context(), nil, "delete", path+"::/nothing"), "nothing")
		before := readFile(t, path)
		wantFailure(t, cairnWith(t.Context(), nil, "meta", "set", path, "DIMENSION_LIST", "1"), "scales")
		if !bytes.Equal(readFile(t, path), before) {
			t.Errorf("%s has been changed", path)
		}
	}

	path := filepath.Join(dir, "n.nc")
	wantFailure(t, cairnWith(t.Context(), nil, "meta", "set", path, "_NCProperties", `"x"`), "belongs to")
	wantFailure(t, cairnWith(t.Context(), nil, "meta", "set", path, "made", "true"), "NetCDF has")
	classic := copied("netcdf/testdata/classic.nc", "c.nc")
	wantFailure(t, cairnWith(t.Context(), nil, "meta", "set", classic, "made", "1"), "classic")

	file := filepath.Join(dir, "h.h5")
	key := file + "::/many"
	cairnOK(t, "info", key)
	cairnOK(t, "delete", key)
	wantFailure(t, cairnWith(t.Context(), nil, "info", key), "many")
}

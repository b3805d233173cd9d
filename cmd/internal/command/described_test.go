package command

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/cairn-go/cairn/internal/described"
	"github.com/cairn-go/cairn/serve"
)

// oneSide lists the facts of an array that only info, or only the server, tells, besides those of
// frames. All others are told by both, or by none.
var oneSide = strings.Fields(`container file_bytes convert cbytes ratio
	name changed version growing reduce as dates`)

// TestInfoAndTheServerTellTheSame describes arrays of all formats by both: each fact has one name,
// which package described gives, and one value.
func TestInfoAndTheServerTellTheSame(t *testing.T) {
	dir := t.TempDir()
	for name, from := range map[string]string{
		"n.nc": "netcdf/testdata/netcdf4.nc", "c.nc": "netcdf/testdata/classic.nc", "h.h5": "hdf5/testdata/chunked-latest.h5",
	} {
		writeFile(t, filepath.Join(dir, name), readFile(t, "../../../"+from))
	}
	t.Chdir(dir)
	writeFile(t, "a.npy", npyFile(t, "<f4", true, 3, 4))
	cairnOK(t, "import", "n.nc", "n.b2z")
	cairnOK(t, "import", "-q", "n.nc::t2m", "a.b2nd")
	cairnOK(t, "export", "n.b2z", "n.zarr")
	h, err := serve.New([]serve.Root{{Name: "d", Path: dir}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()

	may := map[string]bool{}
	for _, name := range append(namesOf(reflect.TypeFor[described.Frame]()), oneSide...) {
		may[name] = true
	}
	known := map[string]bool{}
	for _, name := range namesOf(reflect.TypeFor[described.Array]()) {
		if known[name] {
			t.Errorf("two facts are called %s", name)
		}
		known[name] = true
	}
	for operand, least := range map[string]int{
		"a.b2nd": 16, "n.b2z::/t2m": 17, "n.nc::/t2m": 13, "c.nc::/t2m": 10, "n.zarr::/t2m": 12, "h.h5": 6, "a.npy": 6,
	} {
		if operand == "h.h5" { // its first array
			var tree described.Tree
			if err := json.Unmarshal([]byte(cairnOK(t, "info", "-json", operand)), &tree); err != nil {
				t.Fatal(err)
			}
			operand += "::" + tree.Arrays[0].Key
		}
		var info map[string]any
		if err := json.Unmarshal([]byte(cairnOK(t, "info", "-json", operand)), &info); err != nil {
			t.Fatal(err)
		}
		served := ask(t, h, "/api/v1/info/d/"+strings.ReplaceAll(operand, "::", ""))
		both := 0
		for name := range known {
			mine, told := info[name]
			theirs, also := served[name]
			switch {
			case name == "path":
			case told && also && !reflect.DeepEqual(mine, theirs):
				t.Errorf("%s: %s is %v, and %v by the server", operand, name, mine, theirs)
			case told && also:
				both++
			case told != also && !may[name]:
				t.Errorf("%s: %s is %v by info, %v by the server", operand, name, mine, theirs)
			}
		}
		if both < least {
			t.Errorf("%s: %d facts told by both, want %d or more: %v", operand, both, least, served)
		}
		for _, told := range []map[string]any{info, served} {
			for name := range told {
				if !known[name] {
					t.Errorf("%s: %s is not of package described", operand, name)
				}
			}
		}
	}
}

// ask returns what a server answers.
func ask(t *testing.T, h http.Handler, target string) (told map[string]any) {
	t.Helper()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "http://localhost"+target, nil))
	if err := json.Unmarshal(w.Body.Bytes(), &told); err != nil || w.Code != http.StatusOK {
		t.Fatalf("%s: status %d, %v: %s", target, w.Code, err, w.Body)
	}
	return told
}

// namesOf returns the names of the fields of a structure in JSON.
func namesOf(s reflect.Type) (names []string) {
	for i := range s.NumField() {
		f := s.Field(i)
		if f.Anonymous {
			inner := f.Type
			if inner.Kind() == reflect.Pointer {
				inner = inner.Elem()
			}
			names = append(names, namesOf(inner)...)
			continue
		}
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" && name != "-" {
			names = append(names, name)
		}
	}
	return names
}

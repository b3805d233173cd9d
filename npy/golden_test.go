package npy

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
)

// A golden is an array that NumPy wrote; testdata/make.py lists them.
type golden struct {
	Name    string  `json:"name"`
	DType   string  `json:"dtype"`
	Shape   []int64 `json:"shape"`
	Fortran bool    `json:"fortran"`
	Own     bool    `json:"own"`  // NumPy has chosen the version
	Data    []byte  `json:"data"` // in C order
}

func goldens(t testing.TB) []golden {
	t.Helper()
	b, err := os.ReadFile("testdata/goldens.json")
	if err != nil {
		t.Fatal(err)
	}
	var all []golden
	if err := json.Unmarshal(b, &all); err != nil {
		t.Fatal(err)
	}
	if len(all) < 140 {
		t.Fatalf("%d goldens", len(all))
	}
	return all
}

// TestGoldens reads the files of NumPy, and writes the same ones again, byte for byte.
func TestGoldens(t *testing.T) {
	for _, name := range []string{"stored.npz", "deflated.npz"} {
		z, err := OpenArchive(filepath.Join("testdata", name), &OpenOptions{Map: true, Verify: true})
		if err != nil {
			t.Fatal(err)
		}
		defer z.Close()
		for _, g := range goldens(t) {
			if g.Name == "long" && name == "stored.npz" {
				continue
			}
			a, err := z.Array(t.Context(), g.Name)
			if err != nil {
				t.Errorf("%s: %v", g.Name, err)
				continue
			}
			got, err := ndarray.ViewOf(a).Read(t.Context())
			if err != nil || !bytes.Equal(got, g.Data) || !slices.Equal(a.Shape(), g.Shape) || a.Fortran() != g.Fortran {
				t.Errorf("%s: shape %v, Fortran order %v: %v", g.Name, a.Shape(), a.Fortran(), err)
			}
			if g.DType != "" {
				want, err := meta.ParseDType(g.DType)
				if err != nil || !a.DType().Equal(want) {
					t.Errorf("%s: dtype %v, want %v: %v", g.Name, a.DType(), g.DType, err)
				}
			}
			if !g.Own {
				continue
			}
			var file bytes.Buffer
			if err := Write(t.Context(), &file, a, &SaveOptions{Fortran: g.Fortran}); err != nil {
				t.Fatal(err)
			}
			if own := memberBytes(t, z, g.Name); !bytes.Equal(file.Bytes(), own) {
				t.Errorf("%s: written as %.200q, want %.200q", g.Name, file.Bytes(), own)
			}
		}
	}
}

// memberBytes returns the .npy file of an array.
func memberBytes(t testing.TB, z *Archive, name string) []byte {
	t.Helper()
	r, err := z.members[name].Open()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var b bytes.Buffer
	if _, err := b.ReadFrom(r); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestPythonObjectsAreRefused(t *testing.T) {
	for _, name := range []string{"object.npy", "text.npy"} {
		_, err := Open(filepath.Join("testdata", name), nil)
		if !errors.Is(err, cairn.ErrUnsupported) || !strings.Contains(err.Error(), "Python objects") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

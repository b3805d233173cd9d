package operand

import (
	"bytes"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/internal/formats"
	"github.com/cairn-go/cairn/internal/place"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/npy"
	"github.com/cairn-go/cairn/store"
	"github.com/cairn-go/cairn/zarr"
)

// files writes the same array into files of several formats, in a new working directory.
func files(t *testing.T) {
	t.Helper()
	t.Chdir(t.TempDir())
	a, err := ndarray.New[int32](ndarray.Shape{4}, nil)
	if err != nil {
		t.Fatal(err)
	}
	s, err := store.Create("a.b2z", nil)
	if err != nil {
		t.Fatal(err)
	}
	plain, err := frame.Create("plain.b2frame", &frame.Options{TypeSize: 4})
	if err != nil {
		t.Fatal(err)
	}
	ctx := t.Context()
	for _, err := range []error{
		ndarray.Save(ctx, "a.b2nd", a, nil), npy.Save(ctx, "a.npy", a, nil), zarr.Save(ctx, "a.zarr", a, nil),
		s.Put(ctx, "/g/x", a, nil), s.Close(), plain.Close(),
		os.WriteFile("a.txt", []byte("no array\n"), 0o600),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestOpenTellsWhatIsThere opens files by their paths, and as standard input.
func TestOpenTellsWhatIsThere(t *testing.T) {
	files(t)
	for name, want := range map[string]string{
		"a.b2nd": "frame", "a.npy": "npy", "a.zarr": "zarr", "a.b2z": "store", "a.b2z::/g/x": "store", "a.b2z::g": "store",
		"plain.b2frame": "plain", "-::/g/x": "store", "-": "frame",
	} {
		p := place.Of(name)
		var in []byte
		if p.Kind == place.Standard {
			var err error
			if in, err = os.ReadFile(map[bool]string{true: "a.b2z", false: "a.b2nd"}[p.Keyed]); err != nil {
				t.Fatal(err)
			}
		}
		f, err := New(t.Context(), bytes.NewReader(in), nil, "")
		if err != nil {
			t.Fatal(err)
		}
		o, err := f.Open(t.Context(), p, How{AnyOrder: true})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		src, err := o.Array(t.Context())
		if o.Format.Name != want || err != nil || (src == nil) != (want == "plain") {
			t.Errorf("%s is %s with the array %v, want %s: %v", name, o.Format.Name, src, want, err)
		}
		if (o.Frame() != nil) == o.Foreign() {
			t.Errorf("%s: the frame is %v", name, o.Frame())
		}
		if err := errors.Join(o.Close(), f.Close()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestErrorsTellWhatIsMissing opens what is not there, or is something else.
func TestErrorsTellWhatIsMissing(t *testing.T) {
	files(t)
	f, err := New(t.Context(), nil, nil, "")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, c := range []struct {
		name string
		how  How
		want string
		kind error
	}{
		{"none.b2nd", How{}, "none.b2nd", os.ErrNotExist},
		{"a.txt", How{}, "this is a text file", cairn.ErrUnsupported},
		{"a.txt", How{Foreign: true}, "a.txt: this is a text file: want one of NumPy .npy files", cairn.ErrUnsupported},
		{"a.b2nd", How{Foreign: true}, "use cairn copy", cairn.ErrUnsupported},
		{"a.b2nd::x", How{}, `a.b2nd is a single array, without "x"`, cairn.ErrNotFound},
		{"a.npy::x", How{}, `a.npy is a single array, without "x"`, cairn.ErrNotFound},
		{"a.b2z::/y", How{}, "y", cairn.ErrNotFound},
		{"a.zarr::y", How{}, "y", cairn.ErrNotFound},
	} {
		o, err := f.Open(t.Context(), place.Of(c.name), c.how)
		if err == nil {
			_, err = o.Array(t.Context())
			_ = o.Close()
		}
		if !errors.Is(err, c.kind) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s and %v", c.name, err, c.want, c.kind)
		}
	}
}

// TestClashFollowsLinks compares what operands stand for.
func TestClashFollowsLinks(t *testing.T) {
	files(t)
	f, err := New(t.Context(), nil, nil, "")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for in, want := range map[string]bool{"a.b2nd": true, "./a.b2nd": true, "a.npy": false, "a.b2z::/g/x": false} {
		if got := f.Clash(place.Of(in), place.Of("a.b2nd"), nil); got != want {
			t.Errorf("%s: %v", in, got)
		}
	}
	if !f.Clash(place.Of("a.b2z::g/x"), place.Of("./a.b2z::/g/x"), nil) {
		t.Error("one leaf is two")
	}
	if !Inside(place.Of("a.zarr/b.b2nd"), place.Of("a.zarr")) || Inside(place.Of("a.npy"), place.Of("a.zarr")) {
		t.Error("a file in a directory is not known as such")
	}
}

// TestKeptFilesAreOpenedOnce opens arrays of files that stay open, and such that are files alone.
func TestKeptFilesAreOpenedOnce(t *testing.T) {
	files(t)
	f, err := New(t.Context(), nil, nil, "")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()

	k := f.Keep()
	holdings := map[*formats.Holding]bool{}
	for range 3 {
		for _, name := range []string{"a.b2z::/g/x", "a.b2z", "a.b2nd"} {
			o, err := k.Open(t.Context(), place.Of(name), How{AnyOrder: true})
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			a, err := o.Array(t.Context())
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if err := a.ReadBytes(t.Context(), make([]byte, 16), []int64{0}, []int64{4}); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			holdings[o.Holding] = true
			if err := o.Close(); err != nil {
				t.Error(err)
			}
		}
	}
	if len(k.files) != 1 || len(holdings) != 4 {
		t.Errorf("%d files are open, and there were %d", len(k.files), len(holdings))
	}
	if _, err := k.Open(t.Context(), place.Of("a.b2z::/none"), How{AnyOrder: true}); err != nil {
		t.Errorf("a key without an array, which Array refuses: %v", err)
	}
	if err := k.Close(); err != nil || len(k.files) != 0 {
		t.Errorf("%d files stay open: %v", len(k.files), err)
	}
}

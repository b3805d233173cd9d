package command

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cairn-go/cairn/cmd/internal/command/internal/progress"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/ndarray"
)

func TestCopyKeepsSettingsThatAreNotGiven(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "in.b2nd")
	npy := npyFile(t, ">f4", false, 50, 60)
	importBytes(t, npy, in, "-chunks", "25,30", "-blocks", "5,10", "-codec", "lz4")
	f, err := frame.Open(in, &frame.OpenOptions{Mode: frame.ReadWrite})
	if err == nil {
		err = f.SetVL("units", []byte("\xa1K"))
	}
	if err == nil {
		err = f.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name  string
		flags []string
		info  []string
	}{
		{"same", nil, []string{"chunks         25 × 30\n", "blocks         5 × 10\n", "codec          lz4, level 5\n", "contiguous"}},
		{"codec", []string{"-codec", "zstd", "-level", "9", "-filters", "bitshuffle"},
			[]string{"chunks         25 × 30\n", "zstd, level 9\n", "bitshuffle"}},
		{"stored", []string{"-level", "0"}, []string{"lz4, level 0"}},
		{"chunks", []string{"-chunks", "50,7", "-memory", "1k"}, []string{"chunks         50 × 7\n", "codec          lz4, level 5\n"}},
		{"auto", []string{"-chunks", "auto", "-recode"}, []string{"chunks         50 × 60\n"}},
		{"autoblocks", []string{"-blocks", "auto"}, []string{"chunks         25 × 30\n", "blocks         25 × 30\n"}},
		{"sparse", []string{"-sparse"}, []string{"chunks         25 × 30\n", "sparse"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			out := filepath.Join(dir, c.name+".b2nd")
			if r := cairnWith(t.Context(), nil,
				append(append([]string{"copy"}, c.flags...), in, out)...); r.code != 0 || r.stdout+r.stderr != "" {
				t.Fatalf("exit %d, %s%s", r.code, r.stdout, r.stderr)
			}
			cairnOK(t, "verify", out)
			exported := filepath.Join(dir, c.name+".npy")
			cairnOK(t, "export", out, exported)
			if !bytes.Equal(readFile(t, exported), npy) {
				t.Fatal("other items came out")
			}
			info := cairnWith(t.Context(), nil, "info", out).stdout
			for _, want := range append(c.info, "units") {
				if !strings.Contains(info, want) {
					t.Errorf("no %q in\n%s", want, info)
				}
			}
			r := cairnWith(t.Context(), nil, "copy", in, out)
			if r.code != exitFailed || !strings.Contains(r.stderr, "exist") {
				t.Fatalf("a copy to a name that is taken: exit %d, %s", r.code, r.stderr)
			}
			cairnOK(t, "copy", "-force", in, out)
		})
	}
}

func TestCopyPlansWithoutDoing(t *testing.T) {
	dir := t.TempDir()
	in, out := filepath.Join(dir, "in.b2nd"), filepath.Join(dir, "out.b2nd")
	importBytes(t, npyFile(t, "<i2", false, 40, 40), in, "-chunks", "10,40", "-blocks", "5,20")
	r := cairnWith(t.Context(), nil, "copy", "-plan", "-chunks", "40,10", in, out)
	want := "method    rechunk\nchunks    40 × 10, 4 of them\nblocks    40 × 10\n" +
		"boxes     40 × 40\ndecodes   1 times the array\nmemory    "
	if r.code != 0 || !strings.HasPrefix(r.stdout, want) {
		t.Fatalf("exit %d, %s%s", r.code, r.stdout, r.stderr)
	}
	if _, err := os.Stat(out); err == nil {
		t.Fatal("it was done")
	}
}

func TestCopyOfAPlainFrame(t *testing.T) {
	dir := t.TempDir()
	in, out := filepath.Join(dir, "in.b2frame"), filepath.Join(dir, "out.b2frame")
	f, err := frame.Create(in, &frame.Options{TypeSize: 2})
	if err != nil {
		t.Fatal(err)
	}
	for _, size := range []int{2000, 2000, 500} {
		if _, err := f.Append(t.Context(), npyFile(t, "<i2", false, int64(size))); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	cairnOK(t, "copy", "-codec", "blosclz", "-sparse", in, out)
	want, got := cairnWith(t.Context(), nil, "cat", in).stdout, cairnWith(t.Context(), nil, "cat", out).stdout
	if got != want || got == "" {
		t.Fatalf("%d bytes came out, %d went in", len(got), len(want))
	}
	r := cairnWith(t.Context(), nil, "copy", "-force", "-chunks", "10", in, out)
	if r.code != exitFailed || !strings.Contains(r.stderr, "need an array") {
		t.Fatalf("chunk shapes for a plain frame: exit %d, %s", r.code, r.stderr)
	}
}

func TestCopyRefusesWrongArguments(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "in.b2nd")
	importBytes(t, npyFile(t, "<i2", false, 40), in)
	for _, args := range [][]string{
		{in}, {in, in}, {"-level", "10", in, "out"}, {"-level", "-2", in, "out"}, {"-sparse", "-contiguous", in, "out"},
		{"-codec", "zfp_acc", in, "out"}, {"-codec", "zfp_rate:101", in, "out"},
		{"-codec", "zfp_prec:0", in, "out"}, {"-codec", "lz4:4", in, "out"},
		{"-memory", "much", in, "out"}, {"-memory", "0", in, "out"}, {"-chunks", "x", in, "out"},
		{"-workers", "-1", in, "out"}, {"-codec", "gzip", in, "out"},
	} {
		if r := cairnWith(t.Context(), nil, append([]string{"copy"}, args...)...); r.code != exitUsage {
			t.Errorf("copy %v: exit %d, %s", args, r.code, r.stderr)
		}
	}
}

// TestCopyToNumbersAndBack checks that a copy with a lossy codec is within the requested error, and
// that copying it back changes no bit.
func TestCopyToNumbersAndBack(t *testing.T) {
	dir := t.TempDir()
	in, zfp, back, again := filepath.Join(dir, "in.b2nd"), filepath.Join(dir, "zfp.b2nd"),
		filepath.Join(dir, "back.b2nd"), filepath.Join(dir, "again.b2nd")
	wave := make([]float32, 50*60)
	for i := range wave {
		wave[i] = float32(math.Sin(float64(i%60) / 7))
	}
	a, err := ndarray.Create[float32](in, ndarray.Shape{50, 60},
		&ndarray.Options{ChunkShape: ndarray.Shape{25, 30}, BlockShape: ndarray.Shape{5, 10}})
	if err == nil {
		err = errors.Join(a.Write(t.Context(), wave), a.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	cairnOK(t, "copy", "-codec", "zfp_acc:-3", in, zfp)
	if info := cairnOK(t, "info", zfp); !strings.Contains(info, "zfp_acc:-3, level 5\n") ||
		!strings.Contains(info, "filters        none\n") {
		t.Fatal(info)
	}
	want, got := items[float32](t, in), items[float32](t, zfp)
	for i := range want {
		if off := math.Abs(float64(want[i] - got[i])); off > 1e-3 {
			t.Fatalf("item %d is %g, want %g: off by %g", i, got[i], want[i], off)
		}
	}
	cairnOK(t, "copy", "-verify", "-codec", "lz4", "-chunks", "50,7", zfp, back)
	if info := cairnOK(t, "info", back); !strings.Contains(info, "filters        shuffle\n") ||
		!slices.Equal(items[float32](t, back), got) {
		t.Fatalf("the way back loses something, or the shuffle:\n%s", info)
	}
	r := cairnWith(t.Context(), nil, "copy", "-verify", "-chunks", "50,20", zfp, again)
	if _, err := os.Stat(again); r.code != exitFailed || err == nil ||
		!strings.Contains(r.stderr, "needs a lossless copy") {
		t.Fatalf("a copy that loses something is verified: exit %d, %s", r.code, r.stderr)
	}
	plan := cairnOK(t, "copy", "-plan", "-chunks", "50,20", zfp, again)
	cairnOK(t, "copy", "-codec", "zfp_acc:-2", "-chunks", "50,20", zfp, again)
	if info := cairnOK(t, "info", again); !strings.Contains(plan, "\nloses ") ||
		!strings.Contains(info, "zfp_acc:-2, ") {
		t.Fatalf("%s%s", plan, info)
	}
}

// items returns the items of an array.
func items[T ndarray.Element](t *testing.T, path string) []T {
	t.Helper()
	a, err := ndarray.OpenAs[T](path, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	all, err := a.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestSizesAreReadAsTheyArePrinted reads sizes, and refuses those that may mean two things.
func TestSizesAreReadAsTheyArePrinted(t *testing.T) {
	for text, want := range map[string]int64{
		"": 0, "512": 512, "512B": 512, "2k": 2 << 10, "64M": 64 << 20, "64MiB": 64 << 20, "64Mi": 64 << 20, "1.5 GiB": 3 << 29,
		"2T": 2 << 40, progress.Size(2560): 2560, progress.Size(1): 1,
		"64MB": -1, "64mb": -1, "1 kB": -1, "0": -1, "0.5": -1, "1e6": -1, "-1M": -1, "M": -1, "64Mbit": -1, "1P": -1, "inf": -1,
		"9999999T": -1, "1..5K": -1, "BB": -1,
	} {
		n, err := parseSize("memory", text)
		if (err != nil) != (want < 0) || err == nil && n != want {
			t.Errorf("%q is %d, %v; want %d", text, n, err, want)
		}
	}
}

// TestForceKeepsOtherFiles checks that -force does not replace a directory with other contents.
func TestForceKeepsOtherFiles(t *testing.T) {
	dir := t.TempDir()
	in, out, file := filepath.Join(dir, "in.b2nd"), filepath.Join(dir, "home"), filepath.Join(dir, "home", "letter")
	importBytes(t, npyFile(t, "<i2", false, 40), in)
	if err := os.Mkdir(out, 0o777); err != nil {
		t.Fatal(err)
	}
	wantFailure(t, cairnWith(t.Context(), nil, "copy", "-force", in, out), "is a directory")
	if err := os.Remove(out); err != nil {
		t.Fatal(err)
	}
	cairnOK(t, "copy", "-sparse", in, out)
	cairnOK(t, "copy", "-force", "-sparse", in, out)
	cairnOK(t, "copy", "-force", in, out)
	if err := os.Remove(out); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(out, 0o777); err != nil {
		t.Fatal(err)
	}
	writeFile(t, file, []byte("dear"))
	for _, flags := range [][]string{{"-force"}, {"-force", "-sparse"}, {"-force", "-verify"}} {
		r := cairnWith(t.Context(), nil, append(append([]string{"copy"}, flags...), in, out)...)
		if entries, err := os.ReadDir(dir); r.code != exitFailed || string(readFile(t, file)) != "dear" || err != nil || len(entries) != 2 {
			t.Fatalf("%v: exit %d, %s; %v, %v", flags, r.code, r.stderr, entries, err)
		}
	}
}

// TestCompareFindsDifferences checks that -verify detects differences.
func TestCompareFindsDifferences(t *testing.T) {
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a.b2nd"), filepath.Join(dir, "b.b2nd")
	npy := npyFile(t, "<i2", false, 40, 9)
	importBytes(t, npy, a)
	npy[len(npy)-1]++
	importBytes(t, npy, b)
	std := &streams{}
	u, err := ndarray.Open(a, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer u.Close()
	for name, err := range map[string]error{
		"items": compareArrays(t.Context(), std, u, b, &ndarray.CopyOptions{}), "chunk 0": compareFrames(t.Context(), std, u.Frame(), b),
	} {
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestCopiesThatFailVerificationReplaceNothing runs -verify on a copy that differs, and then on one
// that does not.
func TestCopiesThatFailVerificationReplaceNothing(t *testing.T) {
	dir := t.TempDir()
	npy := npyFile(t, "<i2", false, 40, 9)
	for _, how := range []string{"new", "file", "directory"} {
		out := filepath.Join(dir, how)
		if how != "new" {
			importBytes(t, npy, out, map[string][]string{"directory": {"-sparse"}}[how]...)
		}
		f := &copyFlags{force: how != "new", verify: true}
		for _, differs := range []error{&differsError{"all of it"}, nil} {
			made := ""
			err := f.write(t.Context(), &streams{}, targetOf(out), func(path string) error {
				made = path
				return os.WriteFile(path, []byte("copy"), 0o666)
			}, func(path string) error {
				if got := readFile(t, path); string(got) != "copy" {
					t.Errorf("%s: compared %q", how, got)
				}
				return differs
			})
			info, missing := os.Stat(out)
			switch {
			case !errors.Is(err, differs):
				t.Errorf("%s: %v, want %v", how, err, differs)
			case differs == nil && (missing != nil || string(readFile(t, out)) != "copy"):
				t.Errorf("%s: the copy is not there: %v", how, missing)
			case differs != nil && (missing != nil) != (how == "new"):
				t.Errorf("%s: there is %v, %v", how, info, missing)
			case differs != nil && how != "new":
				cairnOK(t, "verify", out)
			}
			if _, err := os.Stat(filepath.Dir(made)); err == nil || filepath.Dir(made) == dir {
				t.Errorf("%s: %s is left behind", how, filepath.Dir(made))
			}
		}
	}
	in := filepath.Join(dir, "in.b2nd")
	importBytes(t, npy, in)
	wantFailure(t, cairnWith(t.Context(), nil, "copy", "-verify", in, filepath.Join(dir, "new")), "exists")
}

// TestCopyRounds rounds an array on import, copy, export and append, and compares the items.
func TestCopyRounds(t *testing.T) {
	dir := t.TempDir()
	var items []byte
	for i := range 3000 {
		items = binary.LittleEndian.AppendUint32(items, math.Float32bits(float32(280+10*math.Sin(float64(i)/100))))
	}
	raw := filepath.Join(dir, "in.raw")
	if err := os.WriteFile(raw, items, 0o600); err != nil {
		t.Fatal(err)
	}
	plain := filepath.Join(dir, "plain.b2nd")
	cairnOK(t, "import", "-dtype", "<f4", "-shape", "50,60", raw, plain)

	within := func(path string, from int) {
		t.Helper()
		out := filepath.Join(dir, "out.raw")
		cairnOK(t, "export", "-force", path, out)
		got := readFile(t, out)[from:]
		changed := 0
		for i := 0; i < len(items); i += 4 {
			was := math.Float32frombits(binary.LittleEndian.Uint32(items[i:]))
			is := math.Float32frombits(binary.LittleEndian.Uint32(got[i:]))
			if math.Abs(float64(was)-float64(is)) > 0.01 {
				t.Fatalf("%s: %g became %g", path, was, is)
			}
			if was != is {
				changed++
			}
		}
		if changed < 2000 {
			t.Errorf("%s: %d items changed", path, changed)
		}
	}

	for name, args := range map[string][]string{
		"import.b2nd":  {"import", "-maxerror", "0.01", "-dtype", "<f4", "-shape", "50,60", raw},
		"copy.b2nd":    {"copy", "-maxerror", "0.01", plain},
		"copy.b2z::/k": {"copy", "-maxerror", "0.01", plain},
		"export.zarr":  {"export", "-maxerror", "3e-5x", plain},
	} {
		out := filepath.Join(dir, name)
		r := cairnWith(t.Context(), nil, append(args, out)...)
		if r.code != 0 || !strings.Contains(r.stderr, "largest error 0.00") {
			t.Errorf("%v: exit %d, %s", args, r.code, r.stderr)
			continue
		}
		within(out, 0)
	}

	// What is appended keeps to the bound.
	out := filepath.Join(dir, "import.b2nd")
	if r := cairnWith(t.Context(), nil, "append", out, plain); !strings.Contains(r.stderr, "largest error 0.0078") {
		t.Errorf("append: %s", r.stderr)
	}
	within(out, len(items))

	for _, flags := range [][]string{{"-maxerror", "0"}, {"-maxerror", "NaN"}, {"-maxerror", "1", "-digits", "2"}, {"-keepbits", "half"}} {
		r := cairnWith(t.Context(), nil, append(append([]string{"copy"}, flags...), plain, filepath.Join(dir, "no.b2nd"))...)
		if r.code != 2 || !strings.Contains(r.stderr, flags[0]) {
			t.Errorf("%v: exit %d, %s", flags, r.code, r.stderr)
		}
	}
}

package command

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/store"
)

// TestCalcAndReduce computes with arrays of several formats, and writes and prints the results.
func TestCalcAndReduce(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "in.b2nd")
	a, err := ndarray.FromSlice([]float32{1, 2, 3, 4, 5, 6}, ndarray.Shape{2, 3}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := a.SetLabels(ndarray.Labels{Dims: []string{"time", "x"}}); err != nil {
		t.Fatal(err)
	}
	if err := a.Save(t.Context(), in, nil); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"twice.b2nd", "twice.npy", "twice.zarr", "tree.b2z::/twice"} {
		out := filepath.Join(dir, name)
		cairnOK(t, "calc", "a * 2", "a="+in, "-o", out)
		if got := cairnOK(t, "reduce", "-op", "sum", out); got != "42\n" {
			t.Errorf("%s: the sum is %s", name, got)
		}
	}
	for want, args := range map[string][]string{
		"3.5":                          {"reduce", in},
		"2 <f4 time [0] 2.75 [1] 5.75": {"reduce", "-axis", "-1", "-op", "quantile:0.75", "-s", ":, 1:", in},
		"3 <i8 x [0] 1 [1] 1 [2] 1":    {"reduce", "-axis", "time", "-op", "argmax", in},
		"True":                         {"calc", "all(a - mean(a, axis='time') < 2)", "a=" + in},
		"5":                            {"calc", "2 + 3"},
		"mean 3.5 max 6":               {"reduce", "-op", "mean,max", in},
	} {
		got := strings.Join(strings.Fields(strings.ReplaceAll(cairnOK(t, args...), "#", "")), " ")
		if !strings.EqualFold(got, want) {
			t.Errorf("%v prints %q, want %q", args, got, want)
		}
	}
	for text, args := range map[string][]string{
		"at character 5: no array is named \"c\", but a": {"calc", "a + c", "a=" + in},
		"write NAME=PATH":                {"calc", "a", in},
		"there are two arrays named a":   {"calc", "a", "a=" + in, "a=" + in},
		"OUT is the input":               {"calc", "a", "a=" + in, "-o", in, "-force"},
		"did you mean mean?":             {"reduce", "-op", "meen", in},
		"write quantile:0.9":             {"reduce", "-op", "quantile:2", in},
		"-ddof is for std and var":       {"reduce", "-ddof", "1", in},
		"unknown axis":                   {"reduce", "-axis", "0,", in},
		"no dimension is named \"y\"":    {"reduce", "-axis", "y", in},
		"-op: max twice":                 {"reduce", "-op", "max,min,max", in},
		"ends in .b2d":                   {"reduce", "-op", "max,min", in, filepath.Join(dir, "out.npy")},
		"need a store of their own":      {"reduce", "-op", "max,min", in, filepath.Join(dir, "out.b2z::/x")},
		"-n is -1, must not be negative": {"reduce", "-n", "-1", in},
	} {
		r := cairnWith(context.Background(), strings.NewReader(""), args...)
		if r.code != exitUsage && r.code != exitFailed || !strings.Contains(r.stderr, text) {
			t.Errorf("%v: exit %d, %s", args, r.code, r.stderr)
		}
	}
}

// TestReduceSeveral writes several reductions as the leaves of a store, each as reduce alone does.
func TestReduceSeveral(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "in.b2nd")
	a, err := ndarray.FromSlice([]float32{1, 2, 3, 4, 5, 9}, ndarray.Shape{2, 3}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := a.SetLabels(ndarray.Labels{Dims: []string{"time", "x"}}); err != nil {
		t.Fatal(err)
	}
	if err := a.Save(t.Context(), in, nil); err != nil {
		t.Fatal(err)
	}
	flags := []string{"-axis", "x", "-ddof", "1"}
	for _, out := range []string{"out.b2z", "out.b2d", "out.zarr"} {
		tree := filepath.Join(dir, out)
		args := append([]string{"reduce", "-op", "mean,std,argmax,quantile:0.5"}, flags...)
		cairnOK(t, append(args, in, tree)...)
		for key, op := range map[string]string{
			"mean": "mean", "std": "std", "argmax": "argmax", "quantile-0.5": "quantile:0.5",
		} {
			alone := filepath.Join(dir, key+".b2nd")
			own := []string{"reduce", "-force", "-op", op, "-axis", "x"}
			if op == "std" {
				own = append(own, "-ddof", "1")
			}
			cairnOK(t, append(own, in, alone)...)
			cairnOK(t, "diff", tree+"::/"+key, alone)
		}
		cairnOK(t, append(append([]string{"reduce", "-op", "std,mean", "-force"}, flags...), in, tree)...)
		cairnOK(t, "info", tree+"::/std")
		r := cairnWith(t.Context(), strings.NewReader(""), "info", tree+"::/argmax")
		if r.code != exitFailed {
			t.Errorf("%s was not replaced: info of a leaf that should be gone exits with %d", out, r.code)
		}
	}
	// A single operation makes a leaf too where the name is that of a store.
	for _, out := range []string{"one.b2z", "one.b2d", "one.b2e"} {
		tree := filepath.Join(dir, out)
		cairnOK(t, "reduce", "-op", "quantile:0.5", "-axis", "x", in, tree)
		cairnOK(t, "diff", tree+"::/quantile-0.5", filepath.Join(dir, "quantile-0.5.b2nd"))
	}
	archive := filepath.Join(dir, "out.npz")
	cairnOK(t, "reduce", "-op", "max,argmax", in, archive)
	if got := cairnOK(t, "head", "-format", "csv", archive+"::argmax"); !strings.HasSuffix(got, "5\n") {
		t.Errorf("argmax in an archive: %q", got)
	}
	if r := cairnWith(t.Context(), nil, "reduce", "-op", "mean,std", in, "out.npy"); r.code != exitUsage {
		t.Errorf("two arrays in an .npy file: exit %d, %s", r.code, r.stderr)
	}
}

// TestExpressionsThatBeginWithAMinus takes them for expressions if they have the name of an array.
func TestExpressionsThatBeginWithAMinus(t *testing.T) {
	t.Chdir(t.TempDir())
	writeFile(t, "a.npy", npyFile(t, "<i4", false, 3))
	want := cairnOK(t, "calc", "-json", "0-a", "a=a.npy")
	for _, args := range []string{"calc -a a=a.npy -json", "calc -json -a a=a.npy", "calc -(a) -json a=a.npy", "calc -json -1*a a=a.npy",
		"calc -n 5 -json -- -a a=a.npy", "calc -json -q -codec lz4 -where(a==a,a,0) a=a.npy"} {
		if got := cairnOK(t, strings.Fields(args)...); got != want {
			t.Errorf("%s: %s, want %s", args, got, want)
		}
	}
}

// TestResultsOfOtherShapes writes a result that has the shape of none of its arrays.
func TestResultsOfOtherShapes(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, dim := range map[string]string{"a": "x", "b": "y"} {
		a, err := ndarray.FromSlice([]int32{1, 2, 3}, ndarray.Shape{3}, nil)
		if err == nil {
			err = a.SetLabels(ndarray.Labels{Dims: []string{dim}})
		}
		if err == nil {
			err = a.Save(t.Context(), name+".b2nd", nil)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, out := range []string{"o.npy", "o.npz", "o.raw", "o.zarr", "o.b2nd"} {
		cairnOK(t, "calc", "a*b", "a=a.b2nd", "b=b.b2nd", "-o", out)
		if out == "o.raw" {
			continue
		}
		if got := cairnOK(t, "reduce", "-op", "sum", out); got != "36\n" {
			t.Errorf("%s: the sum is %s", out, got)
		}
	}
}

// TestResultsKeepTheCodec computes from an array with a codec of its own, and from a file without.
func TestResultsKeepTheCodec(t *testing.T) {
	t.Chdir(t.TempDir())
	importBytes(t, npyFile(t, "<f4", false, 60, 50), "a.b2nd", "-codec", "lz4", "-level", "9")
	cairnOK(t, "export", "a.b2nd", "a.npy")
	cairnOK(t, "copy", "a.b2nd", "o.b2nd")
	for args, want := range map[string]string{
		"calc a+1 a=a.b2nd -o OUT":                       "lz4, level 9",
		"calc b+a a=a.b2nd b=a.npy -o OUT":               "lz4, level 9",
		"reduce -op max -axis 0 a.b2nd OUT":              "lz4, level 9",
		"calc -level 3 a+1 a=a.b2nd -o OUT":              "lz4, level 3",
		"reduce -codec zlib -axis 0 a.b2nd OUT":          "zlib, level 5",
		"calc a+1 a=a.npy -o OUT":                        "zstd, level 5",
		"job plan j1.job -calc a+1 a=a.b2nd OUT":         "lz4, level 9",
		"job plan j2.job -reduce max -axis 0 a.b2nd OUT": "lz4, level 9",
	} {
		words := strings.Fields(strings.ReplaceAll(args, "OUT", "o.b2nd"))
		if words[0] != "job" {
			words = append(words, "-force")
		} else if err := os.Remove("o.b2nd"); err != nil { // which a job does not replace
			t.Fatal(err)
		}
		cairnOK(t, words...)
		if words[0] == "job" {
			cairnOK(t, "job", "work", words[2])
			cairnOK(t, "job", "seal", words[2])
		}
		if got := cairnOK(t, "info", "o.b2nd"); !strings.Contains(got, "codec          "+want+"\n") {
			t.Errorf("%s: want %s, got %s", args, want, got)
		}
	}
}

// TestCalcWithCoordinates takes coordinates of the arrays for operands.
func TestCalcWithCoordinates(t *testing.T) {
	t.Chdir(t.TempDir())
	w, err := store.Create("t.b2z", nil)
	if err != nil {
		t.Fatal(err)
	}
	putLabelled(t, w, "/t", 6, ndarray.Shape{2, 3}, []string{"time", "latitude"})
	putLabelled(t, w, "/time", 2, ndarray.Shape{2}, []string{"time"}, "units", "days since 2020-01-30")
	putLabelled(t, w, "/latitude", 3, ndarray.Shape{3}, []string{"latitude"}, "units", "degrees_north")
	putLabelled(t, w, "/area", 3, ndarray.Shape{3}, []string{"latitude"})
	putLabelled(t, w, "/other", 3, ndarray.Shape{3}, []string{"z"})
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"sum(t * latitude)":     "19",
		"sum(t * lat * time)":   "14",
		"sum(t * area)":         "19",
		"max(latitude + time)":  "3",
		"sum(where(lat>1,t,0))": "7",
	} {
		got := cairnOK(t, "calc", text, "t=t.b2z::/t")
		if strings.TrimSpace(got) != want {
			t.Errorf("%s is %s, want %s", text, got, want)
		}
	}
	for selection, want := range map[string]string{"lat=1:2": "19", "time=2020-01-31": "14", "latitude[0]": "0"} {
		if got := cairnOK(t, "calc", "-s", selection, "sum(t * latitude)", "t=t.b2z::/t"); strings.TrimSpace(got) != want {
			t.Errorf("-s %s: the sum is %s, want %s", selection, got, want)
		}
	}
	wantFailure(t, cairnWith(t.Context(), nil, "calc", "-s", "x=1", "t", "t=t.b2z::/t"), `no dimension "x"`)
	for text, want := range map[string]string{
		"t + latitud": `at character 5: no array is named "latitud", but t; no coordinates are named "latitud", ` +
			"but latitude, time; did you mean latitude?",
		"t + other": `no coordinates are named "other"`,
	} {
		r := cairnWith(t.Context(), nil, "calc", text, "t=t.b2z::/t")
		if r.code != exitUsage || !strings.Contains(r.stderr, want) {
			t.Errorf("%s: exit %d, %s", text, r.code, r.stderr)
		}
	}

	// Arrays of different coordinates leave open which are meant, unless one has that name.
	cairnOK(t, "calc", "t + 0", "t=t.b2z::/t", "-o", "u.b2z::/u")
	cairnOK(t, "calc", "latitude + 1", "t=t.b2z::/t", "-o", "u.b2z::/latitude", "-force")
	if got := cairnOK(t, "calc", "sum(t * latitude)", "t=t.b2z::/t", "u=u.b2z::/u",
		"latitude=t.b2z::/latitude"); strings.TrimSpace(got) != "19" {
		t.Errorf("the sum is %s", got)
	}
	wantFailure(t, cairnWith(t.Context(), nil, "calc", "sum(t * latitude)", "t=t.b2z::/t", "u=u.b2z::/u"),
		"the coordinates latitude of the arrays contradict each other")
}

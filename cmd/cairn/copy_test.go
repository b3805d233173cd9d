package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cairn-go/cairn/frame"
)

func TestCopyKeepsWhatNobodyAskedToChange(t *testing.T) {
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
		{"codec", []string{"-codec", "zstd", "-level", "9", "-filters", "bitshuffle"}, []string{"chunks         25 × 30\n", "zstd, level 9\n", "bitshuffle"}},
		{"stored", []string{"-level", "0"}, []string{"lz4, level 0"}},
		{"chunks", []string{"-chunks", "50,7", "-memory", "1k"}, []string{"chunks         50 × 7\n", "codec          lz4, level 5\n"}},
		{"auto", []string{"-chunks", "auto", "-recode"}, []string{"chunks         50 × 60\n"}},
		{"autoblocks", []string{"-blocks", "auto"}, []string{"chunks         25 × 30\n", "blocks         25 × 30\n"}},
		{"sparse", []string{"-sparse"}, []string{"chunks         25 × 30\n", "sparse"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			out := filepath.Join(dir, c.name+".b2nd")
			if r := cairnWith(t.Context(), nil, append(append([]string{"copy"}, c.flags...), in, out)...); r.code != 0 || r.stdout+r.stderr != "" {
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
	want := "method    rechunk\nchunks    40 × 10, 4 of them\nblocks    40 × 10\nboxes     40 × 40\ndecodes   1 times the array\nmemory    "
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
		{"-memory", "much", in, "out"}, {"-memory", "0", in, "out"}, {"-chunks", "x", in, "out"}, {"-workers", "-1", in, "out"}, {"-codec", "gzip", in, "out"},
	} {
		if r := cairnWith(t.Context(), nil, append([]string{"copy"}, args...)...); r.code != exitUsage {
			t.Errorf("copy %v: exit %d, %s", args, r.code, r.stderr)
		}
	}
}

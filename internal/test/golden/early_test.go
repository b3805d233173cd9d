package golden_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/internal/test/dense"
	"github.com/cairn-go/cairn/internal/test/golden"
	"github.com/cairn-go/cairn/ndarray"
)

// TestGoldenBetasAreCopied copies frames of the betas to the current format. Their chunks of
// version 4 do not record which bitshuffle they use.
func TestGoldenBetasAreCopied(t *testing.T) {
	found := 0
	for _, c := range cases(t, golden.Frame) {
		if !strings.HasPrefix(c.Name, "early-2.0.0b") {
			continue
		}
		found++
		f, err := frame.Open(c.Path(), nil)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if f.Info().Generation == "current" {
			t.Errorf("%s: a frame of today", c.Name)
		}
		copied, err := frame.NewCopy(context.Background(), f.Snapshot(), nil)
		if err != nil {
			t.Fatalf("%s: %v", c.Name, err)
		}
		defer copied.Close()
		raw, err := copied.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		again, err := frame.FromBytes(raw, nil)
		if err != nil {
			t.Fatal(err)
		}
		whole, err := decodeFrame(again)
		checkDecoded(t, c, whole, err)
	}
	if found < 21 {
		t.Errorf("%d frames of betas, want 7 of each of 3", found)
	}
}

// TestGoldenCatervaIsChanged writes into arrays of Caterva, which must remain Caterva arrays.
func TestGoldenCatervaIsChanged(t *testing.T) {
	ctx, found := context.Background(), 0
	for _, c := range cases(t, golden.B2ND) {
		if c.Sparse || !strings.HasPrefix(c.Name, "early-caterva") {
			continue
		}
		found++
		raw, err := c.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), c.Name)
		if err := os.WriteFile(path, raw, 0o600); err != nil {
			t.Fatal(err)
		}
		u, err := ndarray.Open(path, &ndarray.OpenOptions{Mode: ndarray.ReadWrite})
		if err != nil {
			t.Fatal(err)
		}
		want := &dense.Array{Shape: c.Shape, Size: c.TypeSize, Data: read(t, u)}
		start, stop := []int64{3, 5}, []int64{17, 26}
		box := bytes.Repeat([]byte("caterva"), len(want.Box(start, stop))/7)
		box = append(box, want.Box(start, stop)[len(box):]...)
		want.SetBox(start, stop, box)
		if err := u.WriteBox(ctx, box, start, stop); err != nil {
			t.Fatalf("%s: %v", c.Name, err)
		}
		if err := u.Commit(ctx); err != nil {
			t.Fatalf("%s: %v", c.Name, err)
		}
		if err := u.Close(); err != nil {
			t.Fatal(err)
		}
		again, err := ndarray.Open(path, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer again.Close()
		if got := read(t, again); !bytes.Equal(got, want.Data) {
			t.Errorf("%s: %s", c.Name, dense.Differ(got, want.Data))
		}
	}
	if found < 3 {
		t.Errorf("%d arrays of Caterva, want 3 or more", found)
	}
}

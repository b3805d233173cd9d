package ndarray_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"path/filepath"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/shuffle"
)

// TestLossIsKept appends to an array that was rounded, and writes a box, with handles that keep its
// bound and with others.
func TestLossIsKept(t *testing.T) {
	ctx := t.Context()
	shape := ndarray.Shape{70, 90}
	path := filepath.Join(t.TempDir(), "a.b2nd")
	write := func(keep *ndarray.LossErrors, behind int64) []float32 {
		t.Helper()
		a, err := ndarray.Create[float32](path, shape, &ndarray.Options{Overwrite: true,
			ChunkShape: ndarray.Shape{40, 32}, BlockShape: ndarray.Shape{10, 16}, Loss: ndarray.Loss{MaxError: 0.01}})
		if err != nil {
			t.Fatal(err)
		}
		err = errors.Join(a.SetAttribute("missing_value", -9999.0), a.Write(ctx, lossItems()), a.Close())
		if err != nil {
			t.Fatal(err)
		}

		b, err := ndarray.OpenAs[float32](path, &ndarray.OpenOptions{Mode: ndarray.ReadWrite, KeepLoss: keep, WriteBehind: behind})
		if err != nil {
			t.Fatal(err)
		}
		defer b.Close()
		err = errors.Join(b.Append(ctx, 0, lossItems()),
			b.WriteBox(ctx, lossItems()[:9], []int64{3, 4}, []int64{4, 13}), b.Commit(ctx))
		if err != nil {
			t.Fatal(err)
		}
		got, err := b.Read(ctx)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}

	exact := write(nil, 0)
	for _, behind := range []int64{0, 1} {
		said := &ndarray.LossErrors{}
		kept := write(said, behind)
		largest := 0.0
		coarse := 0
		for i, v := range exact {
			if v != v {
				continue
			}
			if i >= len(exact)/2 && kept[i] != v {
				coarse++
			}
			largest = max(largest, math.Abs(float64(kept[i])-float64(v)))
		}
		if coarse < len(exact)/4 || largest > 0.01 || largest != said.Absolute || kept[len(exact)/2+4000] != -9999 {
			t.Errorf("%d items rounded, error %g, said to be %+v", coarse, largest, said)
		}
		// What was rounded before is the same, and so is what is rounded again.
		for i := range len(exact) / 2 {
			if in := i/90 == 3 && i%90 >= 4 && i%90 < 13; kept[i] != exact[i] && !in && exact[i] == exact[i] {
				t.Fatalf("item %d was %v, is %v", i, exact[i], kept[i])
			}
			if kept[i+len(exact)/2] != kept[i] && !(i/90 == 3 && i%90 >= 4 && i%90 < 13) && kept[i] == kept[i] {
				t.Fatalf("item %d is rounded to %v, and appended to %v", i, kept[i], kept[i+len(exact)/2])
			}
		}
	}
	for i, v := range lossItems() {
		if got := exact[len(exact)/2+i]; got != v && v == v {
			t.Fatalf("item %d, not to be rounded, became %v from %v", i, got, v)
		}
	}
}

// mistaken is a codec that stores other bytes once it is on.
type mistaken struct{ on *bool }

func (m mistaken) Encode(dst, src []byte) (int, error) {
	n := copy(dst, src[:len(src)/2])
	if *m.on {
		dst[5] ^= 1
	}
	return n, nil
}

func (m mistaken) Decode(dst, src []byte) error {
	copy(dst[copy(dst, src):], src)
	return nil
}

// TestKeptLossIsChecked writes by a codec that makes mistakes, with a handle that keeps a bound.
func TestKeptLossIsChecked(t *testing.T) {
	on := false
	own := &codecs.Registry{}
	if err := own.Add(codecs.Row{ID: 200, Name: "mistaken",
		NewEncoder: func(codecs.Params) (codecs.Encoder, error) { return mistaken{&on}, nil },
		NewDecoder: func(codecs.Params) (codecs.Decoder, error) { return mistaken{&on}, nil }}); err != nil {
		t.Fatal(err)
	}
	items := make([]float32, 1000)
	for i := range items {
		items[i] = float32(i%500) + 0.125
	}
	a, err := ndarray.FromSlice(items, ndarray.Shape{1000}, &ndarray.Options{Engine: chunk.Engine{Codecs: own},
		Codec: codecs.ByID(200, 0), Filters: []shuffle.Spec{shuffle.None}, Loss: ndarray.Loss{KeepBits: 9}})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	raw, err := a.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	on = true
	for _, keep := range []*ndarray.LossErrors{nil, {}} {
		b, err := ndarray.FromBytes(raw, &ndarray.OpenOptions{Engine: chunk.Engine{Codecs: own}, Mode: ndarray.ReadWrite,
			KeepLoss: keep})
		if err != nil {
			t.Fatal(err)
		}
		err = errors.Join(b.WriteBox(t.Context(), make([]byte, 400), []int64{0}, []int64{100}), b.Commit(t.Context()))
		if (keep != nil) != errors.Is(err, cairn.ErrCorrupt) {
			t.Errorf("KeepLoss %v: %v", keep, err)
		}
		b.Abort()
	}
}

// TestLossIsNotKept opens arrays whose attributes tell no bound, or one that their items cannot
// have.
func TestLossIsNotKept(t *testing.T) {
	for what, c := range map[string]struct {
		dtype string
		o     ndarray.Options
		name  string
		value any
	}{
		"no bound":      {"<f4", ndarray.Options{}, "units", "K"},
		"a zero bound":  {"<f4", ndarray.Options{}, "quantization_maximum_absolute_error", 0.0},
		"integers":      {"<i4", ndarray.Options{}, "quantization_nsd", 2},
		"a lossy codec": {"<f4", ndarray.Options{Codec: codecs.ZFPAccuracy(-3)}, "quantization_nsb", 3},
	} {
		a, err := ndarray.NewUntyped(c.dtype, ndarray.Shape{16, 16}, &c.o)
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(a.SetAttribute(c.name, c.value), a.Commit(t.Context())); err != nil {
			t.Fatal(err)
		}
		raw, err := a.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		said := &ndarray.LossErrors{}
		b, err := ndarray.FromBytes(raw, &ndarray.OpenOptions{Mode: ndarray.ReadWrite, KeepLoss: said})
		if err != nil {
			t.Fatal(what, err)
		}
		items := make([]byte, 16*16*4)
		for i := range 16 * 16 {
			binary.LittleEndian.PutUint32(items[4*i:], math.Float32bits(float32(i)/7))
		}
		if err := errors.Join(b.Write(t.Context(), items), b.Commit(t.Context())); err != nil {
			t.Fatal(what, err)
		}
		got, err := b.Read(t.Context())
		if err != nil || *said != (ndarray.LossErrors{}) || c.o.Codec == 0 && !bytes.Equal(got, items) {
			t.Errorf("%s: rounded, with errors %+v, %v", what, said, err)
		}
		a.Close()
		b.Close()
	}
}

package ndarray

import (
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/cairn-go/cairn/codecs"
)

// TestNumericCodec takes arrays with the codec numeric through what arrays do: writes of boxes,
// appends, commits, selections, verification, and repair after damage.
func TestNumericCodec(t *testing.T) {
	ctx := t.Context()
	const rows, columns = 60, 45
	random := rand.New(rand.NewPCG(9, 9))
	value := func(i int) float32 {
		if random.IntN(50) == 0 {
			return float32(math.NaN())
		}
		return float32(math.Round(1000*math.Sin(float64(i)/300)) / 10)
	}
	model := make([]float32, rows*columns)
	for i := range model {
		model[i] = value(i)
	}

	path := filepath.Join(t.TempDir(), "a.b2nd")
	a, err := Create[float32](path, Shape{rows, columns}, &Options{
		Codec: codecs.Numeric, ChunkShape: Shape{20, 45}, BlockShape: Shape{7, 20},
	})
	check(t, err, a.Write(ctx, model), a.Commit(ctx))

	for range 20 {
		r := random.IntN(rows - 10)
		c := random.IntN(columns - 10)
		box := make([]float32, 0, 100)
		for i := r; i < r+10; i++ {
			for j := c; j < c+10; j++ {
				model[i*columns+j] = value(i + j)
				box = append(box, model[i*columns+j])
			}
		}
		check(t, a.Write(ctx, box, Range(int64(r), int64(r+10)), Range(int64(c), int64(c+10))), a.Commit(ctx))
	}

	more := make([]float32, 13*columns)
	for i := range more {
		more[i] = value(i)
	}
	check(t, a.Append(ctx, 0, more), a.Commit(ctx))
	_, err = a.Compact(ctx) // no dead bytes, which may be damaged without a loss
	check(t, err, a.Close())
	model = append(model, more...)

	b, err := OpenAs[float32](path, nil)
	check(t, err)
	got, err := b.Read(ctx)
	check(t, err)
	if !slices.EqualFunc(got, model, sameBits) {
		t.Error("other items")
	}
	got, err = b.Read(ctx, Range(3, 70), Index(44))
	check(t, err)
	for i, v := range got {
		if !sameBits(v, model[(i+3)*columns+44]) {
			t.Fatalf("row %d of a column: %v, want %v", i+3, v, model[(i+3)*columns+44])
		}
	}
	if v, err := b.At(65, 7); err != nil || !sameBits(v, model[65*columns+7]) {
		t.Errorf("an item: %v, %v", v, err)
	}
	check(t, b.Close())
	_, err = Verify(ctx, path, nil)
	check(t, err)
	repairNumeric(t, path, model)
}

// repairNumeric damages a chunk, and looks for the others in what is repaired.
func repairNumeric(t *testing.T, path string, model []float32) {
	ctx := t.Context()
	raw, err := os.ReadFile(path)
	check(t, err)
	raw[len(raw)/2] ^= 0x55
	check(t, os.WriteFile(path, raw, 0o600))
	if _, err := Verify(ctx, path, nil); err == nil {
		t.Fatal("damage was not found")
	}

	repaired := path + ".repaired.b2nd"
	report, err := Salvage(ctx, path, repaired, nil)
	check(t, err)
	if len(report.Boxes) == 0 {
		t.Fatalf("no lost chunk in %+v", report)
	}
	a, err := OpenAs[float32](repaired, nil)
	check(t, err)
	defer a.Close()
	got, err := a.Read(ctx)
	check(t, err)
	lost := 0
	for i, v := range got {
		if !sameBits(v, model[i]) {
			lost++
		}
	}
	if lost == len(model) {
		t.Error("nothing was repaired")
	}
}

func sameBits(a, b float32) bool { return math.Float32bits(a) == math.Float32bits(b) }

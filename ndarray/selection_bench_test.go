package ndarray

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cairn-go/cairn/codecs"
)

// BenchmarkSelections reads parts of a 32 MiB array in memory with every kind of selection and, for
// comparison, as boxes; one worker.
func BenchmarkSelections(b *testing.B) {
	shape := Shape{128, 256, 256}
	a, err := FromSlice(field(shape), shape, &Options{ChunkShape: Shape{64, 128, 128}, BlockShape: Shape{16, 32, 32}, Codec: codecs.LZ4, Workers: 1})
	if err != nil {
		b.Fatal(err)
	}
	rnd := rand.New(rand.NewPCG(1, 2))
	dst := make([]float32, a.Len())
	read := func(name string, v View[float32]) {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(4 * v.Len())
			b.ReportAllocs()
			for b.Loop() {
				if err := v.ReadInto(b.Context(), dst[:v.Len()]); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	list := func(n int) Selector {
		rows := make([]int64, n)
		for k := range rows {
			rows[k] = rnd.Int64N(256)
		}
		return Indices(rows)
	}
	for _, text := range []string{"...", "64", ":, 100", "::-1", ":, ::-1", ":, :, ::-1", "::2", ":, ::2", ":, :, ::2", ":, :, ::64"} {
		read(text, a.Slice(MustParse(text)...))
	}
	read("list of rows", a.Slice(All, list(128)))
	read("list of columns", a.Slice(All, All, list(128)))
	read("lists of both", a.Slice(All, list(128), list(128)))
	read("transposed", a.View().Transpose())
	read("last two transposed", a.View().Transpose(0, 2, 1))
	const count = 20000
	flat, sorted := make([]int64, 0, 3*count), make([]int64, 0, 3*count)
	for range count {
		flat = append(flat, rnd.Int64N(128), rnd.Int64N(256), rnd.Int64N(256))
	}
	points := slices.Collect(slices.Chunk(flat, 3))
	slices.SortFunc(points, slices.Compare)
	for _, p := range points {
		sorted = append(sorted, p...)
	}
	for name, coordinates := range map[string][]int64{"20000 points at random": flat, "20000 points in order": sorted} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if err := a.ReadPoints(b.Context(), dst[:count], coordinates); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	for name, share := range map[string]int{"mask of a half": 2, "mask of a hundredth": 100} {
		mask := make([]bool, a.Len())
		for i := range mask {
			mask[i] = rnd.IntN(share) == 0
		}
		b.Run(name, func(b *testing.B) {
			b.SetBytes(4 * a.Len() / int64(share))
			for b.Loop() {
				if _, err := a.ReadWhere(b.Context(), Items(mask, a.Shape())); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

package cairn_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log"
	"time"

	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/shuffle"
)

// docs/guide.md shows most examples of this file and of recipes_more_test.go. A rule of
// internal/test/lint compares the two.

var ctx = context.Background()

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func Example_saveSlice() {
	values := []float64{1, 2, 3, 4, 5, 6}
	a, err := ndarray.FromSlice(values, ndarray.Shape{2, 3}, nil)
	check(err)
	check(a.Save(ctx, "slice.b2nd", nil))
	fmt.Println(a)
	// Output: memory: <f8 [2 3], chunks [2 3], zstd
}

func Example_createLarge() {
	a, err := ndarray.Create[float32]("large.b2nd", ndarray.Shape{2048, 1024, 1024}, nil)
	check(err)
	defer a.Abort() // does nothing after Close
	day := make([]float32, 1024*1024)
	for i := range int64(3) {
		for j := range day {
			day[j] = float32(i)
		}
		check(a.Write(ctx, day, ndarray.Index(i)))
	}
	check(a.Close())
	fmt.Println(a.Shape())
	// Output: [2048 1024 1024]
}

func Example_chooseCodec() {
	a, err := ndarray.Create[int32]("codec.b2nd", ndarray.Shape{1000, 1000}, &ndarray.Options{
		Codec:      codecs.LZ4,
		Level:      9,
		Filters:    []shuffle.Spec{shuffle.Byte, shuffle.ByteDelta(4)},
		ChunkShape: ndarray.Shape{250, 1000},
		BlockShape: ndarray.Shape{25, 1000},
	})
	check(err)
	defer a.Abort()
	check(a.Close())
	// Output:
}

func Example_lossy() {
	// Keep 10 bits of the mantissa, about three decimal digits, and let Zstandard profit.
	a, err := ndarray.Create[float32]("rounded.b2nd", ndarray.Shape{1000}, &ndarray.Options{
		Filters: []shuffle.Spec{shuffle.TruncPrec(10), shuffle.Byte},
	})
	check(err)
	defer a.Abort()
	check(a.Fill(ctx, 1.0/3))
	check(a.Close())

	// Or let ZFP keep every error below 10⁻³.
	b, err := ndarray.Create[float32]("zfp.b2nd", ndarray.Shape{100, 100}, &ndarray.Options{
		Codec: codecs.ZFPAccuracy(-3),
	})
	check(err)
	defer b.Abort()
	check(b.Close())
	// Output:
}

func Example_appendRows() {
	// Open the file if it exists, or create it. An extent of 0 grows by appending.
	a, err := ndarray.OpenAs[float32]("log.b2nd", &ndarray.OpenOptions{Mode: ndarray.ReadWrite})
	if errors.Is(err, fs.ErrNotExist) {
		a, err = ndarray.Create[float32]("log.b2nd", ndarray.Shape{0, 3}, nil)
	}
	check(err)
	defer a.Abort()
	for i := range 5 {
		check(a.Append(ctx, 0, []float32{float32(i), 0, 1}))
	}
	check(a.Commit(ctx)) // from here on, a crash loses none of the five rows
	fmt.Println(a.Shape())
	check(a.Close())
	// Output: [5 3]
}

func Example_records() {
	type sample struct {
		When    time.Time `cairn:"when,M8[s]"`
		Station string    `cairn:"station,U8"`
		Level   float64   `cairn:"level"`
	}
	a, err := ndarray.Create[sample]("samples.b2nd", ndarray.Shape{0}, nil)
	check(err)
	defer a.Abort()
	noon := time.Date(2024, 2, 29, 12, 0, 0, 0, time.UTC)
	check(a.Append(ctx, 0, []sample{{noon, "Zürich", 1.5}, {noon, "Genève", 2.5}}))

	levels, err := ndarray.ViewAs[float64](a.Field("level")) // one column
	check(err)
	fmt.Println(levels.Read(ctx))
	check(a.Close())
	// Output: [1.5 2.5] <nil>
}

func Example_openAny() {
	a, err := ndarray.New[int16](ndarray.Shape{2, 2}, &ndarray.Options{Fill: 7})
	check(err)
	check(a.Save(ctx, "any.b2nd", nil))

	u, err := ndarray.Open("any.b2nd", nil) // any dtype; reads return bytes
	check(err)
	defer u.Close()
	fmt.Println(u.Shape(), u.DType())
	if numbers, err := ndarray.As[int16](u); err == nil { // typed, without opening it again
		fmt.Println(numbers.At(1, 1))
	}
	// Output:
	// [2 2] <i2
	// 7 <nil>
}

func Example_slices() {
	a, err := ndarray.Arange[int32](ctx, "", 0, 12, 1, ndarray.Shape{3, 4}, nil)
	check(err)
	fmt.Println(a.Read(ctx, ndarray.Index(-1)))                             // a[-1]
	fmt.Println(a.Read(ctx, ndarray.All, ndarray.Range(1, 3)))              // a[:, 1:3]
	fmt.Println(a.Read(ctx, ndarray.MustParse("::-2, [0, 3]")...))          // a[::-2][:, [0, 3]]
	fmt.Println(a.View().Transpose().Read(ctx, ndarray.Index(0)))           // a.T[0]
	fmt.Println(a.Read(ctx, ndarray.Indices([]int64{2, 0}), ndarray.To(1))) // a[[2, 0], :1]
	// Output:
	// [8 9 10 11] <nil>
	// [1 2 5 6 9 10] <nil>
	// [8 11 0 3] <nil>
	// [0 4 8] <nil>
	// [8 0] <nil>
}

func Example_reuseBuffer() {
	a, err := ndarray.Arange[int32](ctx, "", 0, 6, 1, ndarray.Shape{2, 3}, nil)
	check(err)
	row := make([]int32, 3)
	for i := range a.Shape()[0] {
		check(a.ReadInto(ctx, row, ndarray.Index(i)))
		fmt.Println(row)
	}
	// Output:
	// [0 1 2]
	// [3 4 5]
}

func Example_points() {
	a, err := ndarray.Arange[int32](ctx, "", 0, 10_000, 1, ndarray.Shape{100, 100}, nil)
	check(err)
	values := make([]int32, 3)
	check(a.ReadPoints(ctx, values, []int64{0, 1, 50, 50, 99, 98})) // (0, 1), (50, 50), (99, 98)
	fmt.Println(values)
	// Output: [1 5050 9998]
}

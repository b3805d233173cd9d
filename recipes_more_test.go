package cairn_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/compute"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/npy"
	"github.com/cairn-go/cairn/store"
)

func Example_mask() {
	a, err := ndarray.FromSlice([]float32{3, -1, 4, -1, 5, -9}, ndarray.Shape{2, 3}, nil)
	check(err)
	positive, err := compute.Map(ctx, "", a, func(dst []bool, x []float32) {
		for i := range dst {
			dst[i] = x[i] > 0
		}
	}, nil)
	check(err)
	fmt.Println(a.ReadWhere(ctx, positive)) // a[a > 0]
	// Output: [3 4 5] <nil>
}

func Example_follow() {
	writer, err := ndarray.Create[int32]("growing.b2nd", ndarray.Shape{0, 2}, nil)
	check(err)
	defer writer.Abort()
	check(writer.Commit(ctx)) // the file exists from the first commit on

	reader, err := ndarray.OpenAs[int32]("growing.b2nd", nil) // usually another process
	check(err)
	check(writer.Append(ctx, 0, []int32{1, 2}))
	check(writer.Commit(ctx))

	seen := reader.Shape()[0]
	grew, err := reader.Refresh(ctx) // takes microseconds if nothing changed
	check(err)
	if grew {
		fmt.Println(reader.Read(ctx, ndarray.From(seen)))
	}
	check(errors.Join(reader.Close(), writer.Close()))
	// Output: [1 2] <nil>
}

func Example_blocks() {
	a, err := ndarray.Arange[int64](ctx, "", 0, 1_000_000, 1, nil, nil)
	check(err)
	odd := int64(0)
	for b, err := range a.Blocks(ctx) { // several goroutines decode ahead of the loop
		check(err)
		for _, v := range b.Values {
			odd += v & 1 * b.Times // Times exceeds 1 where a chunk repeats one value
		}
	}
	fmt.Println(odd)
	// Output: 500000
}

func Example_reduce() {
	a, err := ndarray.FromSlice([]float32{1, 10, 2, 30, 3, 50}, ndarray.Shape{3, 2}, nil)
	check(err)
	mean, err := compute.Mean(ctx, a, compute.Over(0)) // a.mean(axis=0)
	check(err)
	fmt.Println(mean.Read(ctx))
	total, err := compute.Value(compute.Sum[float64](ctx, a, nil)) // a.sum()
	check(err)
	fmt.Println(total)
	// Output:
	// [2 30] <nil>
	// 96
}

func Example_combine() {
	x, err := ndarray.Linspace[float64](ctx, "", 0, 1, ndarray.Shape{5}, true, nil)
	check(err)
	y, err := ndarray.New[int32](ndarray.Shape{5}, &ndarray.Options{Fill: 2})
	check(err)
	product, err := compute.Map2(ctx, "product.b2nd", x, y, func(dst, x []float64, y []int32) {
		for i := range dst {
			dst[i] = x[i] * float64(y[i])
		}
	}, nil)
	check(err)
	fmt.Println(product.Read(ctx))
	check(product.Close())
	// Output: [0 0.5 1 1.5 2] <nil>
}

func Example_rechunk() {
	layers, err := ndarray.New[float32](ndarray.Shape{100, 40, 50}, &ndarray.Options{
		ChunkShape: ndarray.Shape{1, 40, 50},
	})
	check(err)
	plan, err := ndarray.PlanCopy(layers, &ndarray.CopyOptions{
		ChunkShape: ndarray.Shape{100, 10, 10}, Memory: 64 << 20,
	})
	check(err)
	fmt.Println(plan.NumChunks, "chunks,", plan.PeakMemory <= 64<<20)
	check(plan.Run(ctx, "columns.b2nd"))
	// Output: 20 chunks, true
}

func Example_join() {
	a, err := ndarray.FromSlice([]int32{1, 2, 3, 4}, ndarray.Shape{2, 2}, nil)
	check(err)
	b, err := ndarray.FromSlice([]int32{5, 6}, ndarray.Shape{1, 2}, nil)
	check(err)
	check(ndarray.Save(ctx, "joined.b2nd", ndarray.Concat(0, a, b), nil))
	c, err := ndarray.OpenAs[int32]("joined.b2nd", nil)
	check(err)
	fmt.Println(c.Read(ctx))
	check(c.Close())
	// Output: [1 2 3 4 5 6] <nil>
}

func Example_attributes() {
	a, err := ndarray.Create[float32]("wind.b2nd", ndarray.Shape{10}, nil)
	check(err)
	defer a.Abort()
	check(a.SetAttribute("units", "m/s")) // a.vlmeta["units"] = "m/s"
	check(a.SetAttribute("valid_range", []float64{0, 120}))
	check(a.Commit(ctx))

	l, err := a.Labels()
	check(err)
	fmt.Println(l.Attributes.Get("units"))
	check(a.Close())
	// Output: m/s true
}

func Example_numpy() {
	a, err := ndarray.FromSlice([]float32{1, 2, 3, 4, 5, 6}, ndarray.Shape{2, 3}, nil)
	check(err)
	check(npy.Save(ctx, "small.npy", a, nil)) // as numpy.save does

	in, err := npy.Open("small.npy", nil)
	check(err)
	defer in.Close()
	sum, err := compute.Sum[float64](ctx, in, nil) // without a copy
	check(err)
	fmt.Println(sum.At())
	check(ndarray.Save(ctx, "small.b2nd", in, nil))
	b, err := ndarray.OpenAs[float32]("small.b2nd", nil)
	check(err)
	defer b.Close()
	fmt.Println(b.At(1, 2))
	// Output:
	// 21 <nil>
	// 6 <nil>
}

func Example_tree() {
	a, err := ndarray.New[float32](ndarray.Shape{365, 90, 180}, &ndarray.Options{Fill: 15})
	check(err)
	e, err := store.Create("weather.b2z", nil) // .b2d makes a directory instead of one file
	check(err)
	defer e.Abort()
	check(e.Put(ctx, "/surface/temperature", a, nil))
	check(e.SetAttribute(ctx, "/surface", "source", "made up"))
	check(e.Close())

	s, err := store.Open("weather.b2z", nil)
	check(err)
	defer s.Close()
	for leaf := range s.Leaves() {
		fmt.Println(leaf.Key)
	}
	t, err := store.OpenAs[float32](ctx, s, "/surface/temperature")
	check(err)
	defer t.Close()
	fmt.Println(t.At(0, 45, 90))
	// Output:
	// /surface/temperature
	// 15 <nil>
}

func Example_allOrNothing() {
	a, err := ndarray.New[int32](ndarray.Shape{4}, nil)
	check(err)
	err = a.Atomically(ctx, func() error {
		check(a.Fill(ctx, 1))
		return errors.New("changed my mind")
	})
	fmt.Println(err)
	fmt.Println(a.Read(ctx))
	// Output:
	// changed my mind
	// [0 0 0 0] <nil>
}

func Example_untrusted() {
	check(os.WriteFile("upload.b2nd", make([]byte, 1000), 0o666))
	_, err := ndarray.Open("upload.b2nd", &ndarray.OpenOptions{
		Engine: chunk.Engine{Limits: cairn.Limits{MaxAlloc: 64 << 20, MaxChunk: 16 << 20}},
	})
	switch {
	case errors.Is(err, cairn.ErrLimit):
		fmt.Println("needs more memory than allowed")
	case errors.Is(err, cairn.ErrUnsupported):
		fmt.Println("not a Blosc2 file, or one with a part that cairn does not know")
	case errors.Is(err, cairn.ErrCorrupt):
		fmt.Println("damaged")
	}
	// Output: damaged
}

func Example_repair() {
	a, err := ndarray.Arange[int32](ctx, "damaged.b2nd", 0, 1000, 1, nil, &ndarray.Options{
		ChunkShape: ndarray.Shape{100},
	})
	check(err)
	check(a.Close())
	file, err := os.ReadFile("damaged.b2nd")
	check(err)
	file[len(file)/2]++
	check(os.WriteFile("damaged.b2nd", file, 0o666))

	_, err = ndarray.Verify(ctx, "damaged.b2nd", nil)
	fmt.Println(errors.Is(err, cairn.ErrChecksum))
	report, err := ndarray.Salvage(ctx, "damaged.b2nd", "repaired.b2nd", nil)
	check(err)
	fmt.Println("lost items:", report.Boxes[0].Start, "to", report.Boxes[0].Stop)
	// Output:
	// true
	// lost items: [500] to [600]
}

func Example_cancel() {
	limited, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	watched := ndarray.WithProgress(limited, func(done, total int64) {
		fmt.Printf("%d of %d\n", done, total)
	})
	a, err := ndarray.New[int32](ndarray.Shape{300}, &ndarray.Options{ChunkShape: ndarray.Shape{100}})
	check(err)
	_, err = a.Read(watched)
	check(err)
	// Output:
	// 1 of 3
	// 2 of 3
	// 3 of 3
}

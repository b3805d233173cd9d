package ndarray_test

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/cairn-go/cairn/ndarray"
)

// Go structs represent structured dtypes; fields are matched by name.
func ExampleAs_structs() {
	u, err := ndarray.NewUntyped("[('id', '>u4'), ('pos', [('x', '<f4'), ('y', '<f4')]), ('name', '<U8')]", ndarray.Shape{3}, nil)
	must(err)
	defer u.Close()

	type station struct {
		Name string
		ID   uint32
		At   struct{ X, Y float32 } `cairn:"pos"`
	}
	stations, err := ndarray.As[station](u)
	must(err)
	must(stations.Set(station{Name: "Säntis", ID: 6680, At: struct{ X, Y float32 }{9.34, 47.25}}, 1))

	all, err := stations.Read(ctx, ndarray.Range(1, 3))
	must(err)
	fmt.Printf("%+v\n", all)
	// Output: [{Name:Säntis ID:6680 At:{X:9.34 Y:47.25}} {Name: ID:0 At:{X:0 Y:0}}]
}

func ExampleNew_structs() {
	type sample struct {
		When  time.Time `cairn:"when,M8[s]"`
		Level float32   `cairn:"level"`
		Flags [2]bool   `cairn:"flags"`
		Code  string    `cairn:"code,S4"`
	}
	samples, err := ndarray.New[sample](ndarray.Shape{1000}, nil)
	must(err)
	defer samples.Close()
	must(samples.Set(sample{When: time.Date(2024, 2, 29, 12, 0, 0, 0, time.UTC), Level: 1.5, Code: "ok"}, 0))

	first, err := samples.At(0)
	must(err)
	fmt.Println(samples.DType().String())
	fmt.Println(first.When, first.Level, first.Code)
	// Output:
	// [('when', '<M8[s]'), ('level', '<f4'), ('flags', '?', (2,)), ('code', 'S4')]
	// 2024-02-29 12:00:00 +0000 UTC 1.5 ok
}

// A field is read and written without the others.
func ExampleUntyped_Field() {
	u, err := ndarray.NewUntyped("[('id', '<i4'), ('level', '<f8')]", ndarray.Shape{4}, nil)
	must(err)
	defer u.Close()

	levels, err := ndarray.ViewAs[float64](u.Field("level"))
	must(err)
	must(levels.Write(ctx, []float64{0.5, 1.5}, ndarray.Range(1, 3)))
	all, err := levels.Read(ctx)
	must(err)
	fmt.Println(all)
	// Output: [0 0.5 1.5 0]
}

// Datetimes are read as time.Time, and NumPy's strings as string.
func ExampleArray_Values() {
	days, err := ndarray.NewUntyped("M8[D]", ndarray.Shape{3}, nil)
	must(err)
	defer days.Close()
	times, err := ndarray.As[time.Time](days)
	must(err)
	must(times.Set(time.Date(2024, 2, 29, 0, 0, 0, 0, time.UTC), 1))
	must(times.Set(time.Time{}, 2)) // NaT
	for day, err := range times.Values(ctx) {
		must(err)
		fmt.Println(day.Format(time.DateOnly), day.IsZero())
	}

	names, err := ndarray.NewUntyped("U8", ndarray.Shape{2}, nil)
	must(err)
	defer names.Close()
	texts, err := ndarray.As[string](names)
	must(err)
	must(texts.Write(ctx, []string{"Zürich", "Genève"}))
	fmt.Println(texts.Read(ctx))
	// Output:
	// 1970-01-01 false
	// 2024-02-29 false
	// 0001-01-01 true
	// [Zürich Genève] <nil>
}

func ExampleFloat16() {
	a, err := ndarray.FromSlice([]ndarray.Float16{ndarray.Float16From(1.0 / 3), ndarray.Float16From(1e6)}, ndarray.Shape{2}, nil)
	must(err)
	defer a.Close()
	fmt.Println(a.DType().String())
	for h, err := range a.Values(ctx) {
		must(err)
		fmt.Println(h.Float32())
	}
	// Output:
	// <f2
	// 0.33325195
	// +Inf
}

// A program that does not know the dtype of an array beforehand needs no list of dtypes.
func ExampleReadAny() {
	u, err := ndarray.NewUntyped("[('id', '<u2'), ('name', '<U8')]", ndarray.Shape{3}, nil)
	must(err)
	defer u.Close()
	must(u.Fill(ctx, map[string]any{"id": 7, "name": "Säntis"}, ndarray.Index(1)))

	items, err := ndarray.ReadAny(ctx, u, ndarray.To(2))
	must(err)
	text, err := json.Marshal(items)
	must(err)
	fmt.Println(string(text))
	// Output: [{"id":0,"name":""},{"id":7,"name":"Säntis"}]
}

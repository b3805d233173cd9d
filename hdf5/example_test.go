package hdf5_test

import (
	"context"
	"fmt"
	"log"

	"github.com/cairn-go/cairn/hdf5"
	"github.com/cairn-go/cairn/ndarray"
)

func Example() {
	f, err := hdf5.Open("testdata/scales-latest.h5", nil)
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close()
	ctx := context.Background()
	for n, err := range ndarray.Walk(ctx, f, "/") {
		fmt.Println(n.Key, n.Kind, err)
	}

	d, err := f.Dataset(ctx, "/time")
	if err != nil {
		log.Fatal(err)
	}
	v, err := ndarray.ViewAs[float64](d)
	if err != nil {
		log.Fatal(err)
	}
	times, err := v.Read(ctx, ndarray.From(1))
	fmt.Println(d.Shape(), d.DType(), times, err)

	if d, err = f.Dataset(ctx, "/data"); err != nil {
		log.Fatal(err)
	}
	l, err := d.Labels()
	fmt.Println(d.Info().Layout, l.Dims, l.Attributes, err)
	// Output:
	// /data array <nil>
	// /g group <nil>
	// /g/inner array <nil>
	// /g/x array <nil>
	// /lat array <nil>
	// /time array <nil>
	// [3] <f8 [1 2] <nil>
	// contiguous [time lat ex] [{units K}] <nil>
}

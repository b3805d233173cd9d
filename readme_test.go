package cairn_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"testing"

	"github.com/cairn-go/cairn/ndarray"
)

// TestMain runs the examples in a temporary folder, because they write files.
func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "cairn")
	if err != nil {
		log.Fatal(err)
	}
	if err := os.Chdir(dir); err != nil {
		log.Fatal(err)
	}
	code := m.Run()
	// Windows does not remove the current folder.
	_ = os.Chdir(os.TempDir())
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

// The body is the program in README.md; a rule of internal/test/lint compares the two.
func Example_readme() {
	ctx := context.Background()

	// A year of daily maps. Chunks that hold only zeros take no space.
	a, err := ndarray.Create[float32]("temp.b2nd", ndarray.Shape{365, 180, 360}, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer a.Abort() // does nothing after Close
	day := make([]float32, 180*360)
	for i := range day {
		day[i] = float32(i%360) / 4
	}
	if err := a.Write(ctx, day, ndarray.Index(31)); err != nil {
		log.Fatal(err)
	}
	if err := a.Close(); err != nil { // commits: after a crash, the file has all of it or nothing
		log.Fatal(err)
	}

	// Read a corner of that day. Only the blocks that it touches are decoded.
	b, err := ndarray.OpenAs[float32]("temp.b2nd", nil)
	if err != nil {
		log.Fatal(err)
	}
	corner, err := b.Read(ctx, ndarray.Index(31), ndarray.Range(0, 2), ndarray.Range(0, 4))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(b.Shape(), b.DType(), corner)
	// Output: [365 180 360] <f4 [0 0.25 0.5 0.75 0 0.25 0.5 0.75]
}

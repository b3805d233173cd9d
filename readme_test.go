package cairn_test

import (
	"errors"
	"fmt"

	"github.com/cairn-go/cairn"
)

// The body is the program in README.md; internal/lint compares the two.
func Example_readme() {
	err := cairn.InChunk(cairn.Corruptf("chunk", 16, "bad block size"), 3, 1000)
	fmt.Println(errors.Is(err, cairn.ErrCorrupt), err)
	// Output: true corrupt chunk 3 at offset 1016: bad block size
}

package cairn_test

import (
	"errors"
	"fmt"

	"github.com/cairn-go/cairn"
)

// A CorruptError says where the damage is. Other errors suggest other actions; for example, the
// caller can raise a limit.
func ExampleCorruptError() {
	err := fmt.Errorf("open temp.b2nd: %w", cairn.InChunk(cairn.Corruptf("chunk", 20, "block 3 decodes to 4090 bytes, want 4096"), 17, 48193))

	var corrupt *cairn.CorruptError
	switch {
	case errors.As(err, &corrupt):
		fmt.Println(err)
		fmt.Println("layer", corrupt.Layer, "chunk", corrupt.Chunk, "offset", corrupt.Offset)
	case errors.Is(err, cairn.ErrLimit):
		fmt.Println("raise the limits if you trust the file")
	}
	// Output:
	// open temp.b2nd: corrupt chunk 17 at offset 48213: block 3 decodes to 4090 bytes, want 4096
	// layer chunk chunk 17 offset 48213
}

// A service that opens untrusted files lowers the limits. Zero fields keep their defaults.
func ExampleLimits() {
	limits := cairn.Limits{MaxAlloc: 64 << 20, MaxChunk: 16 << 20}
	if err := limits.Validate(); err != nil {
		fmt.Println(err)
	}
	limits = limits.WithDefaults()
	fmt.Println(limits.MaxAlloc>>20, limits.MaxChunk>>20, limits.MaxHeader>>20)
	// Output: 64 16 16
}

// Command cairn inspects, converts, verifies and repairs Blosc2 arrays. It moves data between them
// and NumPy's .npy files, and works on arrays in stores too.
//
// Run "cairn help" for its verbs; docs/command.md describes them.
package main

import (
	"os"

	"github.com/cairn-go/cairn/cmd/internal/command"
)

func main() { os.Exit(command.Main(nil)) }

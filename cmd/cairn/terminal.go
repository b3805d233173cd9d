package main

import (
	"os"

	"golang.org/x/term"

	"github.com/cairn-go/cairn/cmd/cairn/internal/progress"
)

// newBar returns a progress bar on standard error if that is a terminal, else nil, which draws nothing.
func (std *streams) newBar(label string, total int64) *progress.Bar {
	f, ok := std.err.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return nil
	}
	width := func() int {
		if w, _, err := term.GetSize(int(f.Fd())); err == nil && w > 0 {
			return w
		}
		return 80
	}
	return progress.New(f, width, label, total)
}

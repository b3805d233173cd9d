package main

import (
	"io"
	"os"

	"golang.org/x/term"
)

// defaultWidth is the width of output that is no terminal.
const defaultWidth = 80

// terminalWidth returns the columns of a terminal, or 0 if w is none.
func terminalWidth(w io.Writer) int {
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return 0
	}
	if columns, _, err := term.GetSize(int(f.Fd())); err == nil && columns > 0 {
		return columns
	}
	return defaultWidth
}

// width returns the columns that a line on standard output may take.
func (std *streams) width() int {
	if columns := terminalWidth(std.out); columns > 0 {
		return columns
	}
	return defaultWidth
}

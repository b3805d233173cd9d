package command

import (
	"context"
	"io"
	"os"
	"path/filepath"

	"golang.org/x/term"
)

// writeStream runs write with the path of a temporary frame, and copies the frame to standard
// output.
func (std *streams) writeStream(ctx context.Context, write func(path string) error) error {
	if f, ok := std.Out.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		return usagef("OUT is -, but standard output is a terminal and a frame is binary")
	}
	dir, err := os.MkdirTemp("", "cairn-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "out.b2nd")
	if err := write(path); err != nil {
		return err
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	// Not with the fast paths of *os.File, which ignore the context.
	_, err = io.Copy(std.Output(ctx), struct{ io.Reader }{f})
	return err
}

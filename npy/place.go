package npy

import (
	"bufio"
	"errors"
	"fmt"
	"io"

	"github.com/cairn-go/cairn/internal/placing"
)

// replaceFile makes a file at path that write writes: durably, and completely or not at all.
func replaceFile(path string, o *SaveOptions, write func(w io.Writer) error) error {
	m, err := placing.Make(o.FS, path, o.Overwrite)
	if err != nil {
		return err
	}

	w := bufio.NewWriterSize(io.NewOffsetWriter(m, 0), 1<<18)
	err = write(w)
	if err == nil {
		err = w.Flush()
	}
	if err != nil {
		return errors.Join(fmt.Errorf("save %s: %w", path, err), m.Abort())
	}
	return m.Commit()
}

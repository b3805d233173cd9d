package npy

import (
	"archive/zip"
	"context"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/ndarray"
)

// A PutFunc writes a source to an archive, under a name without ".npy".
type PutFunc func(name string, src ndarray.Source) error

// SaveArchive writes an .npz file as [Save] writes an .npy file. It calls fill, which calls put for
// each array, one at a time. After an error of either no file is left. o may be nil.
func SaveArchive(ctx context.Context, path string, fill func(put PutFunc) error, o *SaveOptions) error {
	o, err := o.orDefault()
	if err != nil {
		return err
	}
	return replaceFile(path, o, func(w io.Writer) error { return writeArchive(ctx, w, fill, o) })
}

// WriteArchive writes an archive as [SaveArchive] does, to w. Overwrite and FS do not apply.
func WriteArchive(ctx context.Context, w io.Writer, fill func(put PutFunc) error, o *SaveOptions) error {
	o, err := o.orDefault()
	if err != nil {
		return err
	}
	return writeArchive(ctx, w, fill, o)
}

func writeArchive(ctx context.Context, w io.Writer, fill func(put PutFunc) error, o *SaveOptions) error {
	if o.Raw {
		return fmt.Errorf("npy save options: Raw does not apply to archives: %w", cairn.ErrUnsupported)
	}
	z := zip.NewWriter(w)
	method := zip.Store
	if o.Deflate {
		method = zip.Deflate
	}

	names := map[string]bool{}
	err := fill(func(name string, src ndarray.Source) error {
		name = strings.TrimSuffix(name, extension) + extension
		if names[name] {
			return fmt.Errorf("array %q is in the archive already: %w", name, fs.ErrExist)
		}
		names[name] = true

		member, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: method})
		if err != nil {
			return fmt.Errorf("member %q: %w", name, err)
		}

		if err = write(ctx, member, src, o); err != nil {
			return fmt.Errorf("member %q: %w", name, err)
		}
		return nil
	})

	if err != nil {
		return err
	}
	return z.Close()
}

package formats

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/npy"
)

func isNPY(p *Probe) bool { return strings.HasPrefix(string(p.Head), "\x93NUMPY") }

// isNPZ recognises an archive with .npy files, or an empty one by its name.
func isNPZ(p *Probe) bool {
	if !strings.HasPrefix(string(p.Head), "PK") {
		return false
	}
	if len(p.Entries) == 0 {
		return Extension(p.Name) == ".npz" || p.Name == "standard input"
	}
	return slices.ContainsFunc(p.Entries, func(name string) bool { return strings.HasSuffix(name, ".npy") })
}

func openNPY(_ context.Context, in *Input) (ndarray.Tree, error) {
	o := &npy.OpenOptions{Raw: in.Raw, Limits: in.Limits}
	open := func() (*npy.Array, error) { return npy.OpenReader(in.File, in.Size, o) }
	if in.Stream != nil {
		open = func() (*npy.Array, error) { return npy.OpenStream(in.Stream, o) }
	}
	a, err := open()
	if err != nil {
		return nil, err
	}
	return single{a, a}, nil
}

func openNPZ(_ context.Context, in *Input) (ndarray.Tree, error) {
	if in.Path == "" { // what is in a stream can be seen only now
		p, err := ProbeFile(in.Name, in.File, in.Size)
		if err != nil {
			return nil, err
		}
		if len(p.Entries) > 0 && !isNPZ(p) {
			return nil, fmt.Errorf("this is a zip archive without .npy files: %w", cairn.ErrUnsupported)
		}
	}
	z, err := npy.OpenArchiveReader(in.File, in.Size, &npy.OpenOptions{Verify: in.Verify, Limits: in.Limits})
	if err != nil {
		return nil, err
	}
	return z, nil
}

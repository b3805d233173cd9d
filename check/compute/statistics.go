package main

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"path/filepath"

	"github.com/cairn-go/cairn/check/harness"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/npy"
)

// statistics runs the command on a.npy, or on a Blosc2 array with the same items.
func (r *runner) statistics(rng *rand.Rand, args []string) (answer string, err error) {
	if r.command == "" {
		if r.command, err = harness.Build(r.dir); err != nil {
			return "", err
		}
	}

	path := filepath.Join(r.dir, "a.npy")
	if rng.IntN(3) > 0 {
		from, err := npy.Open(path, nil)
		if err != nil {
			return "", err
		}
		defer from.Close()
		path = filepath.Join(r.dir, "a.b2nd")
		o := chunks(rng, from.Shape())
		o.Overwrite = true
		if err := ndarray.Save(context.Background(), path, from, o); err != nil {
			return "", err
		}
	}

	cmd := exec.Command(r.command, append(args, path)...)
	var complaint bytes.Buffer
	cmd.Stderr = &complaint
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%w: %s", err, complaint.Bytes())
	}
	return string(out), nil
}

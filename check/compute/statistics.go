package main

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"path/filepath"

	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/npy"
)

// statistics runs the command on a.npy, or on a Blosc2 array with the same items.
func (r *runner) statistics(rng *rand.Rand, args []string) (answer string, err error) {
	if err := r.build(); err != nil {
		return "", err
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

// build compiles the command unless it is there.
func (r *runner) build() error {
	if r.command != "" {
		return nil
	}
	path := filepath.Join(r.dir, "cairn")
	if out, err := exec.Command("go", "build", "-o", path, "./cmd/cairn").CombinedOutput(); err != nil {
		return fmt.Errorf("build the command: %w: %s", err, out)
	}
	r.command = path
	return nil
}

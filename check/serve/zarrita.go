package main

import (
	_ "embed"
	"fmt"
	"os/exec"
	"strings"

	"github.com/cairn-go/cairn/check/harness"
)

//go:embed zarrita.mjs
var zarritaSource string

// startZarrita starts Node.js with the module zarrita in dir.
func startZarrita(dir string) (*harness.Peer, error) {
	cmd := exec.Command("node", "--input-type=module", "-e", zarritaSource)
	cmd.Dir = dir
	return harness.Start(cmd)
}

// zarrita compares what zarrita reads with the items. It knows numbers only, and no scalars.
func (r *reading) zarrita() error {
	size := r.dtype.Size()
	if r.js == nil || len(r.Shape) == 0 || !strings.ContainsRune("iuf", rune(r.dtype.Kind())) ||
		size == 2 && r.dtype.Kind() == 'f' {
		return nil
	}
	for version := 2; version <= 3; version++ {
		var answer struct {
			Same bool
			Note string
		}
		ask := map[string]any{"url": r.base + "/zarr/data/" + r.path, "want": r.Want, "big": r.dtype.BigEndian(),
			"size": size, "version": version}
		if err := r.js.Call(ask, &answer); err != nil {
			return fmt.Errorf("zarrita, version %d: %w", version, err)
		}
		if !answer.Same {
			return fmt.Errorf("zarrita, version %d: other items: %s", version, answer.Note)
		}
		r.Reads[fmt.Sprintf("zarrita v%d", version)]++
	}
	return nil
}

package main

import (
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/cairn-go/cairn/check/harness"
	"github.com/cairn-go/cairn/meta"
)

//go:embed zarrita.mjs
var zarritaSource string

// startZarrita starts Node.js with the module zarrita in dir.
func startZarrita(dir string) (*harness.Peer, error) {
	cmd := exec.Command("node", "--input-type=module", "-e", zarritaSource)
	cmd.Dir = dir
	return harness.Start(cmd)
}

// zarrita compares what zarrita reads of a directory with the original. It knows numbers only.
func (x *exchange) zarrita(r *command) error {
	if x.js == nil || strings.HasSuffix(r.Path, ".zip") {
		return nil
	}
	for key, want := range r.Want {
		d, err := meta.ParseDType(r.DTypes[key])
		if err != nil {
			return err
		}
		if !strings.ContainsRune("iuf", rune(d.Kind())) || d.Size() == 2 && d.Kind() == 'f' {
			continue
		}
		if info, err := os.Stat(want); err != nil || info.Size() == int64(d.Size()) {
			continue // perhaps a scalar, which is no array to it
		}
		var answer struct {
			Same bool
			Note string
		}
		command := map[string]any{"path": filepath.Join(r.Path, key), "want": want, "big": d.BigEndian(),
			"size": d.Size(), "version": r.Version}
		if err := x.js.Call(command, &answer); err != nil {
			return err
		}
		if !answer.Same {
			return fmt.Errorf("zarrita reads something else: %s", answer.Note)
		}
		x.Zarrita++
	}
	return nil
}

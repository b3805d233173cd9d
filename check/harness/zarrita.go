package harness

import (
	_ "embed"
	"fmt"
	"os/exec"
	"strings"

	"github.com/cairn-go/cairn/meta"
)

//go:embed zarrita.mjs
var zarritaSource string

// A Zarrita is Node.js with the module zarrita, which reads arrays. Without a Peer it reads none.
type Zarrita struct{ *Peer }

// StartZarrita starts Node.js in dir, if that is not empty. The caller must close the Peer.
func StartZarrita(dir string) (z Zarrita, err error) {
	if dir != "" {
		cmd := exec.Command("node", "--input-type=module", "-e", zarritaSource)
		cmd.Dir = dir
		z.Peer, err = Start(cmd)
	}
	return z, err
}

// Knows reports whether it reads such items, which must be numbers.
func (z Zarrita) Knows(d meta.DType) bool {
	return z.Peer != nil && strings.ContainsRune("iuf", rune(d.Kind())) && (d.Size() != 2 || d.Kind() != 'f')
}

// Compare compares what it reads at a path or URL with the items in a file.
func (z Zarrita) Compare(where, want string, d meta.DType, version int) error {
	var answer struct {
		Same bool
		Note string
	}
	command := map[string]any{"where": where, "want": want, "big": d.BigEndian(), "size": d.Size(), "version": version}
	if err := z.Call(command, &answer); err != nil {
		return fmt.Errorf("zarrita, version %d: %w", version, err)
	}
	if !answer.Same {
		return fmt.Errorf("zarrita, version %d: other items: %s", version, answer.Note)
	}
	return nil
}

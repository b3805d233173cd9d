package main

import (
	"fmt"
	"math/rand/v2"
	"path"
	"slices"

	"github.com/cairn-go/cairn/storage"
)

// flips counts the effects of one changed bit, or a few in a row, in a file that cairn wrote.
type flips struct {
	Points   int `json:"points"`
	Found    int `json:"found"`    // reading it failed
	Harmless int `json:"harmless"` // everything reads as before
	Silent   int `json:"silent"`   // data differs without an error
	// whether the files have checksums, so that silent changes are losses
	Checked bool `json:"checked"`
}

// count counts a change by its effect: an error of reading, or the same data.
func (f *flips) count(err error, same bool) {
	f.Points++
	switch {
	case err != nil:
		f.Found++
	case same:
		f.Harmless++
	default:
		f.Silent++
	}
}

// witnessAt is the offset of the byte in a header that says that there are checksums
// (docs/format/frame.md).
const witnessAt = 0x56

func (c *crasher) flipProgram(f *flips, p program, points, burst int, rng *rand.Rand) error {
	m := storage.NewMemory()
	h, err := p.run(m, func() int { return 0 }, false)
	if err != nil {
		return err
	}

	files, err := filesBelow(m, programName)
	if err != nil {
		return err
	}
	look := lookAs(p.Kind)
	if got, err := look(m, programName); err != nil || got != h.sure {
		return fmt.Errorf("program %q with seed %d leaves %v, %v; want %v", p.Kind, p.Seed, got, err, h.sure)
	}

	for range points {
		target := files[rng.IntN(len(files))]
		bit := rng.Int64N(8 * target.size)
		bits := 1 + rng.IntN(burst)
		undo, err := target.flip(m, bit, bits)
		if err != nil {
			return err
		}
		f.Checked = f.Checked || target.checked

		got, err := look(m, programName)
		f.count(err, got == h.sure)
		if err == nil && got != h.sure && target.checked {
			c.report.fail(failure{Section: "flips", Program: &p, Text: fmt.Sprintf("%d bits from %d of %s changed: %v, want %v", bits, bit, target.name, got, h.sure)}, nil)
		}
		if err := undo(); err != nil {
			return err
		}
	}
	return nil
}

// target is a file whose bits are changed.
type target struct {
	name    string
	size    int64
	checked bool
}

// filesBelow lists the files of a frame.
func filesBelow(m storage.FS, name string) ([]target, error) {
	info, err := m.Stat(name)
	if err != nil {
		return nil, err
	}

	names := []string{name}
	if info.Dir {
		entries, err := m.ReadDir(name)
		if err != nil {
			return nil, err
		}
		names = names[:0]
		for _, e := range entries {
			names = append(names, path.Join(name, e.Name))
		}
	}

	var files []target
	checked := false
	for _, n := range names {
		f, err := m.Open(n)
		if err != nil {
			return nil, err
		}
		t := target{name: n}
		if t.size, err = f.Size(); err != nil {
			return nil, err
		}
		var b [1]byte
		if n == name || path.Base(n) == "chunks.b2frame" {
			if _, err := f.ReadAt(b[:], witnessAt); err != nil {
				return nil, err
			}
			checked = b[0] != 0
		}
		if t.size > 0 {
			files = append(files, t)
		}
	}

	for i := range files {
		files[i].checked = checked
	}
	return files, nil
}

// flip changes bits and returns a function that restores them.
func (t target) flip(m storage.FS, bit int64, bits int) (undo func() error, err error) {
	f, err := m.OpenRW(t.name)
	if err != nil {
		return nil, err
	}

	n := min(int64(bits+7)/8+1, t.size-bit/8)
	old := make([]byte, n)
	if _, err := f.ReadAt(old, bit/8); err != nil {
		return nil, err
	}

	changed := slices.Clone(old)
	for i := range int64(bits) {
		if at := bit%8 + i; at < 8*n {
			changed[at/8] ^= 1 << (at % 8)
		}
	}
	if _, err := f.WriteAt(changed, bit/8); err != nil {
		return nil, err
	}

	return func() error {
		_, err := f.WriteAt(old, bit/8)
		return err
	}, nil
}

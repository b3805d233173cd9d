package main

import (
	"archive/zip"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/cairn-go/cairn/storage"
)

// makeInputs makes the inputs of verbs.
func (v *verbRunner) makeInputs() error {
	if err := os.Mkdir(v.inputs, 0o755); err != nil {
		return err
	}
	for name, shape := range map[string][]int{
		oldNPY: {60, 40}, newNPY: {20, 40}, narrowNPY: {3, 7}, lineNPY: {50},
	} {
		if err := os.WriteFile(filepath.Join(v.inputs, name), npyOf(shape), 0o644); err != nil {
			return err
		}
	}
	return v.make(v.inputs, "",
		"import"+parts+newNPY+" other.b2nd", "import "+narrowNPY+" small.b2nd",
		"export other.b2nd other.nc", "copy other.b2nd other.b2d::/x", "copy small.b2nd other.b2d::/y/z", "copy small.b2nd small.b2d::/s",
		"copy "+absolute("testdata/golden/busy.b2frame")+" other.b2frame", "copy "+absolute(pythonTable)+" table.b2z")
}

// absolute returns the absolute path of a file of the module. The working directory is its root.
func absolute(name string) string {
	path, err := filepath.Abs(name)
	if err != nil {
		return name
	}
	return path
}

// npyOf returns an .npy file of items that compress a little.
func npyOf(shape []int) []byte {
	header := "{'descr': '<i4', 'fortran_order': False, 'shape': ("
	n := 1
	for _, edge := range shape {
		header = header + fmt.Sprint(edge, ", ")
		n = n * edge
	}
	header += "), }"
	header += strings.Repeat(" ", 63-(10+len(header))%64) + "\n"
	b := append([]byte("\x93NUMPY\x01\x00"), byte(len(header)), byte(len(header)>>8))
	b = append(b, header...)
	for i := range n {
		b = binary.LittleEndian.AppendUint32(b, uint32(i*7919%251))
	}
	return b
}

// make runs lines in a directory: command lines of cairn; "cp PATH" and "unzip PATH", which make
// the target from a file of the module or the directory; or "npy ROWS,COLUMNS NAME".
func (v *verbRunner) make(dir, target string, lines ...string) error {
	for _, line := range lines {
		words := strings.Fields(strings.ReplaceAll(line, "%s", target))
		var err error
		switch words[0] {
		case "cp", "unzip":
			from := filepath.Join(dir, words[1])
			if _, missing := os.Stat(from); missing != nil {
				from = words[1]
			}
			err = makeOf(from, filepath.Join(dir, target), words[0] == "unzip")
		case "npy":
			var rows, columns int
			if _, err = fmt.Sscanf(words[1], "%d,%d", &rows, &columns); err == nil {
				err = os.WriteFile(filepath.Join(dir, words[2]), npyOf([]int{rows, columns}), 0o644)
			}
		default:
			err = v.cairn(dir, words)
		}

		if err != nil {
			return fmt.Errorf("%s: %w", line, err)
		}
	}
	return nil
}

// makeOf copies a file or a directory, or unpacks an archive.
func makeOf(from, to string, unpack bool) error {
	if unpack {
		r, err := zip.OpenReader(from)
		if err != nil {
			return err
		}
		return errors.Join(os.CopyFS(to, r), r.Close())
	}
	if info, err := os.Stat(from); err == nil && info.IsDir() {
		return os.CopyFS(to, os.DirFS(from))
	}
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, data, 0o644)
}

// cairn runs the command without tracing it.
func (v *verbRunner) cairn(dir string, words []string) error {
	cmd := exec.Command(v.binary, words...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	return nil
}

// prepared returns a directory with the files for the start of a case. Many cases share one.
func (v *verbRunner) prepared(one verbCase) (string, error) {
	v.mutex.Lock()
	defer v.mutex.Unlock()
	key := fmt.Sprint(one.name, one.make)
	if dir, ok := v.targets[key]; ok || len(one.make) == 0 {
		return cmp.Or(dir, v.inputs), nil
	}
	dir := filepath.Join(filepath.Dir(v.inputs), fmt.Sprint("before-", len(v.targets)))
	err := os.CopyFS(dir, os.DirFS(v.inputs))
	if err == nil {
		err = v.make(dir, one.name, one.make...)
	}
	v.targets[key] = dir
	return dir, err
}

// writeOut writes a directory of an image to disk.
func writeOut(image storage.FS, dir, to string) error {
	entries, err := image.ReadDir(dir)
	if err != nil {
		return err
	}

	for _, e := range entries {
		from := dir + "/" + e.Name
		name := filepath.Join(to, e.Name)
		if e.Dir {
			if err := os.Mkdir(name, 0o755); err != nil {
				return err
			}
			if err := writeOut(image, from, name); err != nil {
				return err
			}
			continue
		}

		data, err := bytesOf(image, from)
		if err != nil {
			return err
		}
		if err := os.WriteFile(name, data, 0o644); err != nil {
			return err
		}
	}
	return nil
}

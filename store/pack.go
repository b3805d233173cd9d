package store

import (
	"archive/zip"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/cairn-go/cairn/internal/osfile"
)

// move puts the directory in its place. What has that place goes only then, and comes back if that fails.
func (w *Writer) move() error {
	if err := syncTree(w.dir); err != nil {
		return err
	}
	if _, err := os.Lstat(w.path); err == nil && !w.replace {
		return fs.ErrExist
	}
	old := w.dir + ".old"
	err := os.Rename(w.path, old)
	replaced := err == nil
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := os.Rename(w.dir, w.path); err != nil {
		if replaced {
			err = errors.Join(err, os.Rename(old, w.path))
		}
		return err
	}
	w.dir = ""
	if err := osfile.SyncDir(filepath.Dir(w.path)); err != nil {
		return err
	}
	if replaced {
		return os.RemoveAll(old)
	}
	return nil
}

// syncTree waits until the folders of a directory are on the disk; their files were committed.
func syncTree(dir string) error {
	return filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		return osfile.SyncDir(name)
	})
}

// A packed is a file that becomes a member.
type packed struct {
	name string // with slashes
	info fs.FileInfo
}

// pack makes an archive of the directory and puts it in its place.
func (w *Writer) pack() error {
	files, err := w.files()
	if err != nil {
		return err
	}
	name := w.dir + ".b2z"
	out, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	err = w.packAll(out, files)
	err = errors.Join(err, out.Close())
	if err == nil {
		err = w.publish(name)
	}
	if err != nil {
		return errors.Join(err, ignoreMissing(os.Remove(name)))
	}
	return osfile.SyncDir(filepath.Dir(w.path))
}

// publish gives an archive its name. Without leave to replace something it must not replace what came there meanwhile.
func (w *Writer) publish(name string) error {
	if w.replace {
		return os.Rename(name, w.path)
	}
	if err := os.Link(name, w.path); err != nil {
		return err
	}
	return os.Remove(name)
}

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// files lists what becomes members: the largest first, and the embed store last, as in archives of python-blosc2.
func (w *Writer) files() ([]packed, error) {
	var files []packed
	err := filepath.WalkDir(w.dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(w.dir, name)
		files = append(files, packed{filepath.ToSlash(relative), info})
		return err
	})
	slices.SortStableFunc(files, func(a, b packed) int {
		switch {
		case a.name == embedName:
			return 1
		case b.name == embedName:
			return -1
		}
		return int(min(max(b.info.Size()-a.info.Size(), -1), 1))
	})
	return files, err
}

func (w *Writer) packAll(out *os.File, files []packed) error {
	z := zip.NewWriter(out)
	for _, f := range files {
		if err := w.packOne(z, f); err != nil {
			return fmt.Errorf("member %q: %w", f.name, err)
		}
	}
	if err := z.Close(); err != nil {
		return err
	}
	return out.Sync()
}

// nameIsUTF8 is the flag of a member without which readers take its name for code page 437.
const nameIsUTF8 = 0x800

// packOne adds a member as it is. Sizes and checksum are in front of it, so that readers which look only there find them.
func (w *Writer) packOne(z *zip.Writer, f packed) error {
	in, err := os.Open(filepath.Join(w.dir, filepath.FromSlash(f.name)))
	if err != nil {
		return err
	}
	defer in.Close()
	sum := crc32.NewIEEE()
	n, err := io.Copy(sum, in)
	if err != nil {
		return err
	}
	if _, err := in.Seek(0, io.SeekStart); err != nil {
		return err
	}
	h := &zip.FileHeader{Name: f.name, Method: zip.Store, Modified: f.info.ModTime(), CRC32: sum.Sum32(),
		CompressedSize64: uint64(n), UncompressedSize64: uint64(n)}
	h.SetMode(0o644)
	if strings.ContainsFunc(f.name, func(r rune) bool { return r > unicode.MaxASCII }) {
		h.Flags |= nameIsUTF8
	}
	member, err := z.CreateRaw(h)
	if err != nil {
		return err
	}
	_, err = io.Copy(member, in)
	return err
}

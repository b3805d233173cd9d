package store

import (
	"archive/zip"
	"bufio"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"path"
	"strings"
	"unicode"

	"github.com/cairn-go/cairn/internal/placing"
	"github.com/cairn-go/cairn/storage"
)

// A packedMember is a member to be written to an archive: a file, or a member of the old archive
// that is copied unchanged.
type packedMember struct {
	name string // slash-separated
	size int64
	file string    // its path in the file system
	old  *zip.File // copied instead of file if not nil
}

// writeArchive writes a new archive. It is durable when writeArchive returns.
func writeArchive(fsys storage.FS, name, comment string, members []packedMember) error {
	out, err := fsys.Create(name)
	if err != nil {
		return err
	}

	w := bufio.NewWriterSize(io.NewOffsetWriter(out, 0), 1<<18)
	z := zip.NewWriter(w)
	buf := make([]byte, copyBytes)
	pack := func() error {
		if err := z.SetComment(comment); err != nil {
			return err
		}

		for i := range members {
			if err := packOne(z, fsys, &members[i], buf); err != nil {
				return fmt.Errorf("member %q: %w", members[i].name, err)
			}
		}

		for _, finish := range []func() error{z.Close, w.Flush, out.Sync} {
			if err := finish(); err != nil {
				return err
			}
		}
		return nil
	}
	return errors.Join(pack(), out.Close())
}

// nameIsUTF8 is the flag of a member whose name is UTF-8. Without it readers assume code page 437.
const nameIsUTF8 = 0x800

// copyBytes is the size of the copy buffer, which all members share.
const copyBytes = 32 << 10

// packOne adds a member. It does not use [zip.Writer.Copy] for members of the old archive, because
// that allocates a buffer per member.
func packOne(z *zip.Writer, fsys storage.FS, p *packedMember, buf []byte) error {
	if p.old != nil {
		h := p.old.FileHeader
		in, err := p.old.OpenRaw()
		if err != nil {
			return err
		}
		return packRaw(z, &h, in, buf)
	}

	in, err := fsys.Open(p.file)
	if err != nil {
		return err
	}
	return errors.Join(packFile(z, in, p.name, buf), in.Close())
}

func packRaw(z *zip.Writer, h *zip.FileHeader, in io.Reader, buf []byte) error {
	out, err := z.CreateRaw(h)
	if err != nil {
		return err
	}

	_, err = io.CopyBuffer(out, in, buf)
	return err
}

// packFile adds a file. The size and the checksum are written to the local header, in front of the
// data, for readers that do not look at the directory.
func packFile(z *zip.Writer, in storage.File, name string, buf []byte) error {
	size, err := in.Size()
	if err != nil {
		return err
	}

	sum := crc32.NewIEEE()
	if _, err := io.CopyBuffer(sum, io.NewSectionReader(in, 0, size), buf); err != nil {
		return err
	}

	h := &zip.FileHeader{Name: name, Method: zip.Store, CRC32: sum.Sum32(),
		CompressedSize64: uint64(size), UncompressedSize64: uint64(size)}
	h.SetMode(0o644)
	if strings.ContainsFunc(name, func(r rune) bool { return r > unicode.MaxASCII }) {
		h.Flags |= nameIsUTF8
	}
	return packRaw(z, h, io.NewSectionReader(in, 0, size), buf)
}

// makeFolders creates a folder below the existing directory root, with its parents, durably.
func makeFolders(fsys storage.FS, root, folder string) error {
	if folder == "." || folder == "/" || folder == "" {
		return nil
	}

	name := root + "/" + folder
	switch info, err := fsys.Stat(name); {
	case err == nil && info.Dir:
		return nil
	case err == nil:
		return &fs.PathError{Op: "mkdir", Path: name, Err: fs.ErrExist}
	case !errors.Is(err, fs.ErrNotExist):
		return err // a link, for one
	}

	if err := makeFolders(fsys, root, path.Dir(folder)); err != nil {
		return err
	}

	parent := path.Dir(name)
	if err := placing.MkdirFor(fsys, name, parent); err != nil {
		return err
	}
	if err := placing.Inherit(fsys, name, parent); err != nil {
		return err
	}

	if _, ok := fsys.(storage.Replacer); ok {
		if err := fsys.SyncDir(name); err != nil {
			return err
		}
	}
	return fsys.SyncDir(parent)
}

package osfile

import (
	"bytes"
	"encoding/binary"
	"io/fs"

	"golang.org/x/sys/unix"
)

// A directory entry of the kernel: struct linux_dirent64.
const (
	direntLen  = 16 // bytes of the entry
	direntType = 18
	direntName = 19 // ends with a zero byte
)

// Names calls visit for the entries of d with their types, in no order, without looking at each of
// them if the file system has the types in the directory.
func (d *Dir) Names(visit func(name string, kind fs.FileMode)) error {
	f, err := d.root.Open(".")
	if err != nil {
		return err
	}
	defer f.Close()

	buf := make([]byte, 64<<10)
	for {
		n := 0
		err := control(f, func(fd int) (err error) {
			n, err = unix.Getdents(fd, buf)
			return err
		})
		if err != nil || n <= 0 {
			return err
		}
		if err := d.names(buf[:n], visit); err != nil {
			return err
		}
	}
}

// names calls visit for the entries in b.
func (d *Dir) names(b []byte, visit func(name string, kind fs.FileMode)) error {
	for len(b) > direntName {
		size := int(binary.NativeEndian.Uint16(b[direntLen:]))
		if size <= direntName || size > len(b) {
			return fs.ErrInvalid // the kernel does not do that
		}
		raw, _, _ := bytes.Cut(b[direntName:size], []byte{0})
		name := string(raw)
		kind := fs.ModeIrregular
		switch b[direntType] {
		case unix.DT_REG:
			kind = 0
		case unix.DT_DIR:
			kind = fs.ModeDir
		case unix.DT_LNK:
			kind = fs.ModeSymlink
		case unix.DT_UNKNOWN:
			info, err := d.root.Lstat(name)
			if err != nil {
				b = b[size:]
				continue // it was removed since
			}
			kind = info.Mode().Type()
		}

		b = b[size:]
		if name != "." && name != ".." {
			visit(name, kind)
		}
	}
	return nil
}

package osfile

import (
	"encoding/binary"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// accessListFor encodes an access list that lets one more user read.
func accessListFor(user uint32) []byte {
	b := binary.LittleEndian.AppendUint32(nil, 2)
	for _, e := range [][3]uint32{{1, 6, ^uint32(0)}, {2, 4, user}, {4, 0, ^uint32(0)}, {16, 4, ^uint32(0)}, {32, 0, ^uint32(0)}} {
		b = binary.LittleEndian.AppendUint16(binary.LittleEndian.AppendUint16(b, uint16(e[0])), uint16(e[1]))
		b = binary.LittleEndian.AppendUint32(b, e[2])
	}
	return b
}

func TestInheritCopiesMetadata(t *testing.T) {
	dir := t.TempDir()
	old, fresh := filepath.Join(dir, "old"), filepath.Join(dir, "new")
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	check(os.WriteFile(old, nil, 0o600))
	uid, gid := os.Getuid(), os.Getgid()
	if uid == 0 {
		uid, gid = 12345, 23456
		check(os.Chown(old, uid, gid))
	}
	// not every file system has them
	lists := unix.Setxattr(old, accessList, accessListFor(34567), 0) == nil
	noted := unix.Setxattr(old, "user.note", []byte("text"), 0) == nil
	f, err := CreateFor(fresh, old)
	check(err)
	check(f.Close())
	info, err := os.Stat(fresh)
	check(err)
	if info.Mode().Perm() != 0o600 {
		t.Fatalf("before it inherits, a file has %v", info.Mode())
	}
	check(Inherit(fresh, old))
	was, err := os.Stat(old)
	check(err)
	if info, err = os.Stat(fresh); err != nil || info.Mode() != was.Mode() || lists && info.Mode().Perm() != 0o640 {
		t.Fatalf("%v, %v instead of %v", err, info.Mode(), was.Mode())
	}
	if s := info.Sys().(*syscall.Stat_t); int(s.Uid) != uid || int(s.Gid) != gid {
		t.Fatalf("owner %d, group %d instead of %d and %d", s.Uid, s.Gid, uid, gid)
	}
	if list, err := attribute(fresh, accessList); lists && (err != nil || string(list) != string(accessListFor(34567))) {
		t.Fatalf("access list % x, %v", list, err)
	}
	if note, err := attribute(fresh, "user.note"); noted && (err != nil || string(note) != "text") {
		t.Fatalf("attribute %q, %v", note, err)
	}

	// A directory has no use for the list of a file: nobody else gets access, and a list that the
	// directory has is removed.
	check(MkdirFor(filepath.Join(dir, "tree"), old))
	check(Inherit(filepath.Join(dir, "tree"), old))
	if info, err = os.Stat(filepath.Join(dir, "tree")); err != nil || lists && info.Mode().Perm() != 0o700 {
		t.Fatalf("a directory in the place of a file has %v, %v", info.Mode(), err)
	}
	check(os.WriteFile(filepath.Join(dir, "plain"), nil, 0o604))
	check(os.Chmod(filepath.Join(dir, "plain"), 0o604))
	check(Inherit(fresh, filepath.Join(dir, "plain")))
	if _, err := attribute(fresh, accessList); err == nil {
		t.Fatal("an access list stays that the old file did not have")
	}
	if info, err = os.Stat(fresh); err != nil || info.Mode().Perm() != 0o604 {
		t.Fatalf("%v, %v", info.Mode(), err)
	}
}

func TestNothingToInheritChangesNothing(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "a")
	f, err := CreateFor(name, filepath.Join(dir, "missing"))
	if err == nil {
		err = errors.Join(f.Chmod(0o751), f.Close(), Inherit(name, filepath.Join(dir, "missing")))
	}
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(name); err != nil || info.Mode().Perm() != 0o751 {
		t.Fatal(info, err)
	}
	if err := os.Symlink(name, filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	if err := Inherit(filepath.Join(dir, "link"), name); err == nil {
		t.Fatal("permissions were given to what a link leads to")
	}
}

func TestGroupAccessIsReducedToThatOfOthers(t *testing.T) {
	for mode, want := range map[fs.FileMode]fs.FileMode{0o640: 0o600, 0o664: 0o644, 0o644: 0o644, 0o606: 0o606, 0o777: 0o777} {
		if got := likeOthers(mode); got != want {
			t.Errorf("%o becomes %o, not %o", mode, got, want)
		}
	}
}

package osfile

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// TestDirDoesNotFollowLinks uses links and a pipe in a directory, and a folder that is replaced by
// a link while open.
func TestDirDoesNotFollowLinks(t *testing.T) {
	base := t.TempDir()
	in := func(name string) string { return filepath.Join(base, name) }
	err := errors.Join(os.Mkdir(in("root"), 0o777), os.Mkdir(in("root/folder"), 0o777), os.Mkdir(in("out"), 0o777),
		os.WriteFile(in("out/file"), []byte("x"), 0o666))
	if err != nil {
		t.Fatal(err)
	}
	for name, target := range map[string]string{"way": "../out", "file": "../out/file", "inside": "folder", "gone": "nowhere"} {
		if err := os.Symlink(target, in("root/"+name)); err != nil {
			t.Logf("no symbolic links here: %v", err)
			return
		}
	}
	d, err := OpenDir(in("root"))
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	for _, name := range []string{"way", "inside", "gone"} {
		if _, err := d.Dir(name); !errors.Is(err, ErrLink) {
			t.Errorf("folder %s: %v", name, err)
		}
	}
	for _, name := range []string{"file", "gone"} {
		if _, err := d.Open(name, ReadOnly); !errors.Is(err, ErrLink) {
			t.Errorf("open %s: %v", name, err)
		}
		if _, err := d.OpenLock(name); !errors.Is(err, ErrLink) {
			t.Errorf("lock %s: %v", name, err)
		}
		if _, err := d.Create(name, 0o666); !errors.Is(err, os.ErrExist) {
			t.Errorf("create %s: %v", name, err)
		}
	}
	switch err := MakePipe(in("root/pipe")); {
	case errors.Is(err, errors.ErrUnsupported):
		t.Log("no named pipes here")
	case err != nil:
		t.Fatal(err)
	default:
		if _, err := d.Open("pipe", ReadOnly); !errors.Is(err, ErrIrregular) {
			t.Errorf("a pipe: %v", err)
		}
	}
	testSwap(t, d, in)
}

// testSwap replaces an open folder by a link: operations must still affect the original folder.
func testSwap(t *testing.T, d *Dir, in func(string) string) {
	folder, err := d.Dir("folder")
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	if err := errors.Join(os.Rename(in("root/folder"), in("moved")), os.Symlink("../out", in("root/folder"))); err != nil {
		t.Logf("an open directory cannot be renamed here: %v", err)
		return
	}
	f, err := folder.Create("new", 0o666)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(f.Close(), folder.Mkdir("sub", 0o777), folder.Rename("new", folder, "newer"), folder.Sync()); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{"moved/newer": true, "moved/sub": true, "out/newer": false, "out/sub": false} {
		if _, err := os.Lstat(in(name)); (err == nil) != want {
			t.Errorf("%s: %v", name, err)
		}
	}
}

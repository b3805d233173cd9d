package catalog

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/cairn-go/cairn/internal/formats"
	"github.com/cairn-go/cairn/internal/osfile"
)

// A file that changed so short a time ago may change again without another time of change.
const young = 100 * time.Millisecond

// Directories have no time of change that covers all that is in them, so their trees are read again
// after a while. Chunks of a Zarr array may be replaced without a trace in any directory, and files
// to which another one leads without a trace in that.
const (
	treeAge  = 10 * time.Second
	chunkAge = time.Minute
)

// mostDirs bounds the directories of chunks whose times are looked at.
const mostDirs = 256

// stamp returns a text that changes when a file does.
func stamp(info fs.FileInfo) string {
	text := fmt.Sprintf("%x.%x.%x", osfile.Inode(info), info.Size(), info.ModTime().UnixNano())
	if now := time.Now(); now.Sub(info.ModTime()).Abs() < young {
		text += fmt.Sprintf(".%x", now.UnixNano())
	}
	return text
}

// period returns a text that changes once in a while.
func period(d time.Duration) string { return fmt.Sprintf("~%x", time.Now().UnixNano()/int64(d)) }

// version returns the version of the file or tree of a place, without looking at keys.
func (p *place) version() string {
	switch {
	case !p.isDir:
		return stamp(p.info)
	case p.isFrame():
		return p.stampOf("chunks.b2frame")
	}

	text := stamp(p.info)
	for _, mark := range p.marks {
		text += "-" + p.stampOf(mark)
	}
	return text + period(treeAge)
}

// mayLink reports whether the place is a file that may lead into others, by its name.
func (p *place) mayLink() bool {
	if p.isDir {
		return false
	}
	return formats.MayBeHDF5(p.at())
}

// stampOf returns the stamp of a file below the place, or "" if there is none.
func (p *place) stampOf(name string) string {
	info, err := os.Lstat(filepath.Join(p.at(), filepath.FromSlash(name)))
	if err != nil {
		return ""
	}
	return stamp(info)
}

// subfolders returns directories in a directory, if it begins with such.
func subfolders(dir string, most int) (found []string) {
	d, err := os.Open(dir)
	if err != nil {
		return nil
	}
	defer d.Close()

	entries, _ := d.ReadDir(most + 8)
	for _, e := range entries {
		if e.IsDir() {
			found = append(found, filepath.Join(dir, e.Name()))
		}
	}
	return found
}

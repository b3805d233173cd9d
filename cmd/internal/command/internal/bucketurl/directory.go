package bucketurl

import (
	"os"
	"path"
	"runtime"
	"slices"
	"strings"

	"github.com/cairn-go/cairn/storage"
)

// A bucket in a directory has a file of this name once something was put.
const lockName = ".lock"

// inDirectory returns the place of a file in the directory that serves as its bucket: one that an
// earlier operand is in, else the nearest one above that is known to be a bucket, else the nearest
// one that exists.
func (b *buckets) inDirectory(name, file string) (location, error) {
	if runtime.GOOS == "windows" && len(file) > 2 && file[2] == ':' {
		file = file[1:]
	}
	root := b.root(path.Clean(file))
	key := strings.TrimPrefix(strings.TrimPrefix(file, root), "/")
	b.mu.Lock()
	defer b.mu.Unlock()
	id := fileScheme + ":" + root
	if b.open[id] == nil {
		b.open[id] = storage.FSBucket(storage.OS(), root)
	}
	return location{b.open[id], key, name[:len(name)-len(key)]}, nil
}

// root returns the directory that serves as the bucket of a file.
func (b *buckets) root(file string) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	within := func(dir string) bool { return strings.HasPrefix(file, strings.TrimSuffix(dir, "/")+"/") }
	if i := slices.IndexFunc(b.roots, within); i >= 0 {
		return b.roots[i]
	}

	existing := ""
	for dir := path.Dir(file); ; dir = path.Dir(dir) {
		if info, err := os.Stat(dir); err == nil && info.IsDir() && existing == "" {
			existing = dir
		}
		if _, err := os.Stat(path.Join(dir, lockName)); err == nil {
			existing = dir
			break
		}
		if dir == path.Dir(dir) {
			break
		}
	}

	b.roots = append(b.roots, existing)
	// the innermost first
	slices.SortFunc(b.roots, func(x, y string) int { return len(y) - len(x) })
	return existing
}

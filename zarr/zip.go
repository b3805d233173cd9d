package zarr

import (
	"archive/zip"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/storage"
)

// zipped are the keys of a zip archive. Members that are stored, as Zarr's writers do, are read in
// ranges; compressed ones are decompressed as a whole.
//
// The CRC-32 of a member is compared when it is read as a whole. One that is read in parts is read
// for that first, once; over a network only if verify is set.
type zipped struct {
	file    io.ReaderAt
	members map[string]*member
	folders map[string][]string // sorted names by folder
	inner   string              // the folder that has the store, with a slash, or ""
	limit   int64               // bytes of a compressed member
	verify  bool
	closer  io.Closer // or nil
}

// member is a member of an archive.
type member struct {
	*zip.File
	checked sync.Once
	damage  error
}

// openZip reads the directory of an archive.
func openZip(r io.ReaderAt, size int64, closer io.Closer, verify bool, l cairn.Limits) (*zipped, error) {
	if err := boundDirectory(r, size, l); err != nil {
		return nil, err
	}
	archive, err := zip.NewReader(r, size)
	if err != nil {
		for _, damage := range []error{zip.ErrFormat, zip.ErrChecksum, io.EOF, io.ErrUnexpectedEOF} {
			if errors.Is(err, damage) {
				return nil, corruptZip("the directory cannot be read", err)
			}
		}
		if !errors.Is(err, zip.ErrInsecurePath) { // such names are skipped below
			return nil, err
		}
	}
	_, far := r.(interface {
		ReadRanges(ctx context.Context, ranges []storage.Range) error
	})
	z := &zipped{file: r, limit: l.MaxChunk, closer: closer, verify: verify || !far,
		members: map[string]*member{}, folders: map[string][]string{}}
	for _, f := range archive.File {
		name := strings.TrimSuffix(f.Name, "/")
		if !fs.ValidPath(name) || strings.Count(name, "/") > maxDepth {
			continue
		}
		if name == f.Name {
			z.members[name] = &member{File: f} // the last of one name counts, as in Python
		}
		z.place(f.Name)
	}
	for folder, names := range z.folders {
		slices.Sort(names)
		z.folders[folder] = slices.Compact(names)
	}
	z.enter()
	return z, nil
}

// enter takes the only folder with a store for the root, if the root has none: programs that pack a
// folder often pack its name too.
func (z *zipped) enter() {
	isStore := func(folder string) bool {
		return slices.ContainsFunc(marks, func(name string) bool { return z.members[folder+name] != nil })
	}
	var found []string
	for _, name := range z.folders["."] {
		if strings.HasSuffix(name, "/") && isStore(name) {
			found = append(found, name)
		}
	}
	if len(found) == 1 && !isStore("") {
		z.inner = found[0]
	}
}

// place adds a member to its folder, and that to its own.
func (z *zipped) place(name string) {
	for name != "." {
		isFolder := strings.HasSuffix(name, "/")
		folder, base := path.Split(strings.TrimSuffix(name, "/"))
		if isFolder {
			base += "/"
		}
		parent := strings.TrimSuffix(folder, "/")
		if parent == "" {
			parent = "."
		}
		_, known := z.folders[parent]
		z.folders[parent] = append(z.folders[parent], base)
		if known || parent == "." {
			return
		}
		name = folder
	}
}

func corruptZip(reason string, cause error) error {
	e := cairn.Corruptf("zip archive", -1, "%s", reason)
	e.Err = cause
	return e
}

// The end of an archive's directory: the signature PK\5\6, disks, then the number of members on
// this disk and in all, and the size of the directory. If a number does not fit, all its bits are
// set, and a record before it has it in 64 bits.
const (
	zipEnd         = 22
	zipMaxComment  = 1<<16 - 1
	zipDirSize     = 12
	zipMemberBytes = 400 // that a member takes in memory, besides its name
	zipMemberLeast = 46  // bytes of a member in the directory
)

// boundDirectory fails if the directory of an archive might take more memory than the limits allow.
func boundDirectory(r io.ReaderAt, size int64, l cairn.Limits) error {
	tail := make([]byte, min(size, zipEnd+zipMaxComment))
	if err := readAt(r, tail, size-int64(len(tail))); err != nil {
		return err
	}
	at := bytes.LastIndex(tail, []byte("PK\x05\x06"))
	if at < 0 || len(tail)-at < zipEnd {
		return corruptZip("the end of the directory is missing", nil)
	}
	b := tail[at+zipDirSize:]
	dir := int64(b[0]) | int64(b[1])<<8 | int64(b[2])<<16 | int64(b[3])<<24
	if dir == 1<<32-1 {
		dir = size
	}
	if dir = min(dir, size); dir/zipMemberLeast*zipMemberBytes > l.MaxMeta*zipMetaShare {
		return fmt.Errorf("zip archive with a directory of %d bytes: %w", dir, cairn.ErrLimit)
	}
	return nil
}

// zipMetaShare is how many times the limit for metadata the directory may take in memory.
const zipMetaShare = 8

func (z *zipped) open(ctx context.Context, key string) (object, error) {
	f, ok := z.members[z.inner+key]
	if !ok {
		return nil, &fs.PathError{Op: "open", Path: key, Err: fs.ErrNotExist}
	}
	if f.Method == zip.Store && f.Flags&1 == 0 {
		at, err := f.DataOffset()
		if err != nil {
			return nil, corruptZip(key+" has no header", err)
		}
		if n := int64(f.CompressedSize64); n < 0 || f.CompressedSize64 != f.UncompressedSize64 {
			return nil, corruptZip(fmt.Sprintf("%s has %d bytes, stored in %d", key, f.UncompressedSize64,
				f.CompressedSize64), nil)
		}
		n := int64(f.CompressedSize64)
		return &content{r: io.NewSectionReader(z.file, at, n), n: n, of: f, verify: z.verify}, nil
	}
	inflated, err := z.inflate(ctx, f.File)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", key, err)
	}
	return &content{r: bytes.NewReader(inflated), n: int64(len(inflated))}, nil
}

// inflate returns the content of a compressed member.
func (z *zipped) inflate(ctx context.Context, f *zip.File) ([]byte, error) {
	if n := f.UncompressedSize64; n > uint64(z.limit) || n/deflateRatio > f.CompressedSize64+1 {
		return nil, fmt.Errorf("%d bytes, compressed to %d: %w", n, f.CompressedSize64, cairn.ErrLimit)
	}
	r, err := f.Open()
	if err != nil {
		if errors.Is(err, zip.ErrAlgorithm) {
			return nil, unsupported("zip method %d", f.Method)
		}
		return nil, corruptZip("cannot be opened", err)
	}
	defer r.Close()
	content := make([]byte, f.UncompressedSize64)
	if _, err := io.ReadFull(r, content); err != nil {
		return nil, corruptZip("cannot be decompressed", err)
	}
	if n, err := io.ReadFull(r, make([]byte, 1)); n > 0 || err != io.EOF { // checks the CRC-32
		return nil, corruptZip("cannot be decompressed", err)
	}
	return content, ctx.Err()
}

func (z *zipped) list(_ context.Context, folder string) ([]string, error) {
	names, ok := z.folders[path.Join(z.inner, folder)]
	if !ok && folder != "." {
		return nil, &fs.PathError{Op: "list", Path: folder, Err: fs.ErrNotExist}
	}
	return names, nil
}

func (z *zipped) close() error {
	if z.closer == nil {
		return nil
	}
	return z.closer.Close()
}

// content is the content of a member.
type content struct {
	r      io.ReaderAt
	n      int64
	of     *member // whose checksum is compared, or nil
	verify bool    // before a part is read
}

func (c *content) size() int64  { return c.n }
func (c *content) close() error { return nil }

func (c *content) ReadAt(ctx context.Context, b []byte, off int64) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	whole := int64(len(b)) == c.n
	if c.of != nil && !whole && c.verify {
		if err := c.check(ctx); err != nil {
			return err
		}
	}

	err := readAt(c.r, b, off)
	if err == nil && c.of != nil && whole {
		err = c.of.compare(crc32.ChecksumIEEE(b))
	}
	return err
}

// check compares the checksum of a member that has not been read as a whole yet.
func (c *content) check(ctx context.Context) error {
	c.of.checked.Do(func() {
		sum := crc32.NewIEEE()
		var failed error
		if _, failed = io.Copy(sum, io.NewSectionReader(c.r, 0, c.n)); failed == nil {
			failed = c.of.compare(sum.Sum32())
		}
		c.of.damage = failed
	})
	return cmp.Or(c.of.damage, ctx.Err())
}

// compare compares a checksum with that of a member.
func (m *member) compare(sum uint32) error {
	if sum == m.CRC32 {
		return nil
	}
	return fmt.Errorf("member %s of the zip archive: %w", m.Name, cairn.ErrChecksum)
}

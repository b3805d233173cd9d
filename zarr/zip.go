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
	"github.com/cairn-go/cairn/internal/osfile/fresh"
	"github.com/cairn-go/cairn/internal/zipped"
	"github.com/cairn-go/cairn/storage"
)

// zipKeys are the keys of a zip archive. Members that are stored, as Zarr's writers do, are read in
// ranges; compressed ones are decompressed as a whole.
//
// The CRC-32 of a member is compared when it is read as a whole. One that is read in parts is read
// for that first, once; over a network only if verify is set.
type zipKeys struct {
	file    io.ReaderAt
	size    int64
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
func openZip(r io.ReaderAt, size int64, closer io.Closer, verify bool, l cairn.Limits) (*zipKeys, error) {
	archive, err := zipped.Open(r, size, l)
	if err != nil {
		return nil, err
	}

	_, far := r.(interface {
		ReadRanges(ctx context.Context, ranges []storage.Range) error
	})
	z := &zipKeys{file: r, size: size, limit: l.MaxChunk, closer: closer, verify: verify || !far,
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

	// Take the only folder with a store for the root, if the root has none: programs
	// that pack a folder often pack its name too.
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

	return z, nil
}

// place adds a member to its folder, and that to its own.
func (z *zipKeys) place(name string) {
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

func (z *zipKeys) open(ctx context.Context, key string) (object, error) {
	f, ok := z.members[z.inner+key]
	if !ok {
		return nil, &fs.PathError{Op: "open", Path: key, Err: fs.ErrNotExist}
	}
	if f.Method == zip.Store && f.Flags&1 == 0 {
		r, err := zipped.Content(z.file, z.size, f.File)
		if err != nil {
			return nil, err
		}
		return &content{r: r, of: f, verify: z.verify}, nil
	}

	inflated, err := z.inflate(ctx, f.File)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", key, err)
	}
	return &content{r: io.NewSectionReader(bytes.NewReader(inflated), 0, int64(len(inflated)))}, nil
}

// inflate returns the content of a compressed member.
func (z *zipKeys) inflate(ctx context.Context, f *zip.File) ([]byte, error) {
	if n := f.UncompressedSize64; n > uint64(z.limit) || n/deflateRatio > f.CompressedSize64+1 {
		return nil, fmt.Errorf("%d bytes, compressed to %d: %w", n, f.CompressedSize64, cairn.ErrLimit)
	}

	r, err := f.Open()
	if err != nil {
		if errors.Is(err, zip.ErrAlgorithm) {
			return nil, unsupported("zip method %d", f.Method)
		}
		return nil, zipped.Wrap(err)
	}
	defer r.Close()

	content := fresh.Make[byte](int64(f.UncompressedSize64))
	if _, err := io.ReadFull(r, content); err != nil {
		return nil, zipped.Wrap(err)
	}

	n, err := io.ReadFull(r, make([]byte, 1)) // checks the CRC-32
	switch {
	case n > 0:
		return nil, cairn.Corruptf(zipped.Layer, -1, "more than %d bytes", len(content))
	case err != io.EOF:
		return nil, zipped.Wrap(err)
	}
	return content, ctx.Err()
}

func (z *zipKeys) list(_ context.Context, folder string) ([]string, error) {
	names, ok := z.folders[path.Join(z.inner, folder)]
	if !ok && folder != "." {
		return nil, &fs.PathError{Op: "list", Path: folder, Err: fs.ErrNotExist}
	}
	return names, nil
}

func (z *zipKeys) close() error {
	if z.closer == nil {
		return nil
	}
	return z.closer.Close()
}

// content is the content of a member.
type content struct {
	r      *io.SectionReader
	of     *member // whose checksum is compared, or nil
	verify bool    // before a part is read
}

func (c *content) size() int64  { return c.r.Size() }
func (c *content) close() error { return nil }

func (c *content) ReadAt(ctx context.Context, b []byte, off int64) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	whole := int64(len(b)) == c.r.Size()
	if c.of != nil && !whole && c.verify {
		if err := c.check(ctx); err != nil {
			return err
		}
	}

	err := readAt(c.r, b, off)
	if err == nil && c.of != nil && whole {
		err = zipped.Compare(c.of.File, crc32.ChecksumIEEE(b))
	}
	return err
}

// check compares the checksum of a member that has not been read as a whole yet.
func (c *content) check(ctx context.Context) error {
	c.of.checked.Do(func() {
		c.of.damage = zipped.Check(c.of.File, c.r)
	})
	return cmp.Or(c.of.damage, ctx.Err())
}

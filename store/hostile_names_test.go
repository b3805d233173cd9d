package store

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/storage"
)

// archiveOf returns an archive of an empty embed store and members with the given names and
// content.
func archiveOf(t testing.TB, content []byte, names ...string) []byte {
	t.Helper()
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	add := func(name string, b []byte) {
		n := uint64(len(b))
		h := &zip.FileHeader{Name: name, CRC32: crc32.ChecksumIEEE(b), CompressedSize64: n, UncompressedSize64: n}
		w, err := z.CreateRaw(h)
		if err == nil {
			_, err = w.Write(b)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range names {
		add(name, content)
	}
	add(embedName, goldenMember(t, "dict.b2z", embedName))
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// goldenMember returns a member of a golden archive.
func goldenMember(t testing.TB, archive, name string) []byte {
	t.Helper()
	b, err := os.ReadFile("testdata/" + archive)
	if err != nil {
		t.Fatal(err)
	}
	z, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range z.File {
		if f.Name == name {
			at, err := f.DataOffset()
			if err != nil {
				t.Fatal(err)
			}
			return b[at : at+int64(f.UncompressedSize64)]
		}
	}
	t.Fatalf("%s has no %s", archive, name)
	return nil
}

func openBytes(b []byte) (*Store, error) {
	return OpenReader(bytes.NewReader(b), int64(len(b)), "x.b2z", nil)
}

// TestMemberNamesOutsideTheStore uses member names that are not valid relative paths.
func TestMemberNamesOutsideTheStore(t *testing.T) {
	leaf := goldenMember(t, "dict.b2z", "a.b2nd")
	for _, name := range []string{"../a.b2nd", "../../../../etc/a.b2nd", "g/../../a.b2nd", "g//a.b2nd", "./a.b2nd", "g/./a.b2nd", "//a.b2nd"} {
		if _, err := openBytes(archiveOf(t, leaf, name)); !errors.Is(err, cairn.ErrCorrupt) {
			t.Errorf("%q: %v", name, err)
		}
		list := meta.Map{{Key: "embed_map", Value: meta.Map{{Key: "/" + strings.TrimSuffix(name, ".b2nd"), Value: meta.Map{{Key: "offset", Value: 0}, {Key: "length", Value: 5}}}}}}
		if _, err := openBytes(embedStore(t, list)); !errors.Is(err, cairn.ErrCorrupt) {
			t.Errorf("the key of %q: %v", name, err)
		}
	}
	deep := strings.Repeat("g/", 20_000) + "a.b2nd"
	if _, err := openBytes(archiveOf(t, leaf, deep)); !errors.Is(err, cairn.ErrLimit) {
		t.Errorf("a deep tree: %v", err)
	}
}

// TestMembersWithSharedNamesOrBytes uses members of the same name, of which the last one counts,
// and members that share bytes.
func TestMembersWithSharedNamesOrBytes(t *testing.T) {
	leaf := goldenMember(t, "dict.b2z", "a.b2nd")
	b := archiveOf(t, leaf, "a.b2nd", "g/b.b2nd", "a.b2nd", "a.b2f", "c.b2nd")
	first := uint32(bytes.Index(b, []byte("PK\x03\x04")))
	for at := bytes.Index(b, []byte("PK\x01\x02")); at >= 0 && at < len(b); {
		if n := int(binary.LittleEndian.Uint16(b[at+28:])); string(b[at+46:at+46+n]) == "c.b2nd" {
			binary.LittleEndian.PutUint32(b[at+42:], first)
		}
		next := bytes.Index(b[at+4:], []byte("PK\x01\x02"))
		if next < 0 {
			break
		}
		at += 4 + next
	}
	s, err := openBytes(b)
	check(t, err)
	defer s.Close()
	var keys []string
	for l := range s.Leaves() {
		keys = append(keys, l.Key)
		u, err := s.Array(t.Context(), l.Key)
		check(t, err)
		check(t, u.Close())
	}
	if strings.Join(keys, " ") != "/a /c /g/b" {
		t.Errorf("leaves %q", keys)
	}
}

// TestLinksInDirectories checks that targets of symbolic links are not part of a store.
func TestLinksInDirectories(t *testing.T) {
	dir, outside := t.TempDir(), t.TempDir()
	leaf := goldenMember(t, "dict.b2z", "a.b2nd")
	check(t, os.WriteFile(filepath.Join(dir, embedName), goldenMember(t, "dict.b2z", embedName), 0o644),
		os.WriteFile(filepath.Join(dir, "a.b2nd"), leaf, 0o644), os.WriteFile(filepath.Join(outside, "secret.b2nd"), leaf, 0o644))
	for link, target := range map[string]string{"loop": dir, "self.b2nd": "self.b2nd", "out": outside, "link.b2nd": filepath.Join(outside, "secret.b2nd"), "gone.b2nd": "nowhere"} {
		if err := os.Symlink(target, filepath.Join(dir, link)); err != nil {
			t.Logf("no symbolic links here: %v", err) // as on Windows without the privilege
		}
	}
	s, err := Open(dir, nil)
	check(t, err)
	defer s.Close()
	for l := range s.Leaves() {
		if l.Key != "/a" && !l.Embedded {
			t.Errorf("leaf %q", l.Key)
		}
	}
}

// TestEmbedStoresThatAreLinksAreRefused opens a directory whose embed store is a link to another
// file, which must be neither read nor changed.
func TestEmbedStoresThatAreLinksAreRefused(t *testing.T) {
	dir, outside := t.TempDir(), filepath.Join(t.TempDir(), "other.b2e")
	check(t, os.WriteFile(outside, goldenMember(t, "dict.b2z", embedName), 0o644))
	if err := os.Symlink(outside, filepath.Join(dir, embedName)); err != nil {
		t.Logf("no symbolic links here: %v", err)
		return
	}
	if _, err := Open(dir, nil); !errors.Is(err, cairn.ErrUnsupported) {
		t.Errorf("opened: %v", err)
	}
	if _, err := Open(".", &OpenOptions{FS: storage.IOFS(os.DirFS(dir))}); !errors.Is(err, cairn.ErrUnsupported) {
		t.Errorf("opened by fs.FS: %v", err)
	}
	if _, err := Edit(dir, nil); !errors.Is(err, cairn.ErrUnsupported) {
		t.Errorf("opened for changes: %v", err)
	}
}

// TestEmbedStoresOfHugeChunks opens an embed store that states chunks of 1 GiB but has one of a
// few bytes. Adding a leaf must take only the memory of the leaf.
func TestEmbedStoresOfHugeChunks(t *testing.T) {
	content := bytes.Repeat([]byte("leaf"), 100)
	f, err := frame.New(&frame.Options{TypeSize: 1, ChunkSize: 1 << 29})
	check(t, err)
	defer f.Abort()
	_, err = f.Append(t.Context(), []byte("a few bytes"))
	check(t, err)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	offset, err := embed(t.Context(), f, bytes.NewReader(content), int64(len(content)))
	runtime.ReadMemStats(&after)
	check(t, err)
	if n := after.TotalAlloc - before.TotalAlloc; offset != 11 || n > 16<<20 {
		t.Errorf("at %d, %d bytes allocated", offset, n)
	}
}

package store

import (
	"archive/zip"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/meta"
)

// TestOtherFilesStayInArchives edits an archive with a comment and with members that are not
// leaves, some of them compressed.
func TestOtherFilesStayInArchives(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.b2z")
	out, err := os.Create(path)
	check(t, err)
	z := zip.NewWriter(out)
	check(t, z.SetComment("a comment"))
	for name, data := range unpackedFiles(t, "testdata/tree.b2z") {
		check(t, writeMember(z, name, data, zip.Store))
	}
	check(t, writeMember(z, "notes.txt", []byte("compressed notes"), zip.Deflate), writeMember(z, "g/more.b2nd", []byte("compressed leaf"), zip.Deflate),
		z.Close(), out.Close())
	e, err := Edit(path, nil)
	check(t, err)
	a := numbers(t, 1)
	check(t, e.Put(t.Context(), "/new", a, nil), e.Delete(t.Context(), "/a"), a.Close(), e.Close())
	r, err := zip.OpenReader(path)
	check(t, err)
	defer r.Close()
	var names []string
	for _, f := range r.File {
		names = append(names, f.Name)
		if f.Name == "notes.txt" {
			in, err := f.Open()
			check(t, err)
			if data, err := io.ReadAll(in); err != nil || string(data) != "compressed notes" || f.Method != zip.Deflate {
				t.Errorf("%q, %v", data, err)
			}
		}
	}
	if !slices.Contains(names, "g/more.b2nd") || !slices.Contains(names, "notes.txt") || slices.Contains(names, "a.b2nd") || names[len(names)-1] != embedName || r.Comment != "a comment" {
		t.Errorf("members %q, comment %q", names, r.Comment)
	}
}

func writeMember(z *zip.Writer, name string, data []byte, method uint16) error {
	w, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: method})
	if err == nil {
		_, err = w.Write(data)
	}
	return err
}

// TestLastMemberOfANameCounts opens an archive to which another program has appended.
func TestLastMemberOfANameCounts(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.b2z")
	out, err := os.Create(path)
	check(t, err)
	z := zip.NewWriter(out)
	files := unpackedFiles(t, "testdata/tree.b2z")
	check(t, writeMember(z, "a.b2nd", []byte("replaced"), zip.Store))
	for name, data := range files {
		check(t, writeMember(z, name, data, zip.Store))
	}
	check(t, z.Close(), out.Close())
	if got := itemsOf(t, path, "/a"); len(got) != 1000 {
		t.Errorf("%d items", len(got))
	}
	e, err := Edit(path, nil)
	check(t, err)
	check(t, e.Delete(t.Context(), "/a"), e.Close())
	if got := keysOf(t, path); slices.Contains(got, "/a") {
		t.Errorf("leaves %q", got)
	}
}

// TestEditsKeepRemoteAddresses edits and copies an embed store with a remote entry.
func TestEditsKeepRemoteAddresses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.b2e")
	address := meta.Map{{Key: "urlbase", Value: "https://example.org/"}, {Key: "path", Value: "x.b2nd"}}
	data := embedStore(t, meta.Map{{Key: "embed_map", Value: meta.Map{{Key: "/r", Value: address}}}, {Key: "current_offset", Value: 100}})
	check(t, os.WriteFile(path, data, 0o644))
	e, err := Edit(path, nil)
	check(t, err)
	a := numbers(t, 1)
	check(t, e.Put(t.Context(), "/a", a, nil), a.Close(), e.Close())
	s, err := Open(path, nil)
	check(t, err)
	defer s.Close()
	for _, ext := range forms {
		other := filepath.Join(t.TempDir(), "copy"+ext)
		check(t, s.Copy(t.Context(), other, nil))
		c, err := Open(other, nil)
		check(t, err)
		l, err := c.Leaf("/r")
		if err != nil || l.URL != "https://example.org/x.b2nd" {
			t.Errorf("%s: %v, %v", ext, l, err)
		}
		check(t, c.Close())
		e, err := Edit(other, nil)
		check(t, err)
		check(t, e.Delete(t.Context(), "/r"), e.Close())
		if got := keysOf(t, other); !slices.Equal(got, []string{"/a"}) {
			t.Errorf("%s: leaves %q", ext, got)
		}
	}
}

// TestBytesBehindTheEndOfAnEmbedStore appends to an embed store whose writer was killed before it
// wrote its list.
func TestBytesBehindTheEndOfAnEmbedStore(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.b2e")
	makeStore(t, path)
	f, err := frame.Open(path, &frame.OpenOptions{Mode: frame.ReadWrite})
	check(t, err)
	before := f.NBytes()
	_, err = embed(t.Context(), f, zeros{}, 20000)
	check(t, err, f.Close())
	e, err := Edit(path, nil)
	check(t, err)
	a := numbers(t, 5, 6)
	check(t, e.Put(t.Context(), "/late", a, nil), a.Close(), e.Close())
	if got := itemsOf(t, path, "/late"); !slices.Equal(got, []int32{5, 6}) || before == 0 {
		t.Errorf("%v", got)
	}
	if got := itemsOf(t, path, "/a"); !slices.Equal(got, []int32{1, 2, 3}) {
		t.Errorf("%v", got)
	}
}

// zeros are any number of zero bytes.
type zeros struct{}

func (zeros) ReadAt(p []byte, _ int64) (int, error) {
	clear(p)
	return len(p), nil
}

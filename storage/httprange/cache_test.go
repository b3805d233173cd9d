package httprange

import (
	"bytes"
	"errors"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/storage/diskcache"
)

// openCached opens a file through a cache, which it opens as another process would.
func openCached(t *testing.T, link, dir string, o Options) (*FS, *diskcache.Cache) {
	t.Helper()
	c, err := diskcache.Open(dir, nil)
	check(t, err)
	t.Cleanup(func() { c.Close() })
	o.Cache = c
	files, err := NewFS(t.Context(), &o)
	check(t, err)
	t.Cleanup(func() { files.Close() })
	return files, c
}

// TestCachedArray checks that the second opening and the same point take one request, and one byte.
func TestCachedArray(t *testing.T) {
	src, err := ndarray.Arange[int32](t.Context(), "", 0, 4_000_000, 1, ndarray.Shape{100, 200, 200},
		&ndarray.Options{ChunkShape: ndarray.Shape{10, 100, 100}, BlockShape: ndarray.Shape{1, 50, 100}})
	check(t, err)
	data, err := src.Bytes()
	check(t, err)
	var sent atomic.Int64
	tag := `"1"`
	s := serve(t, nil)
	s.instead(func(w http.ResponseWriter, r *http.Request) bool {
		w.Header().Set("ETag", tag)
		http.ServeContent(&counter{w, &sent}, r, "", time.Time{}, bytes.NewReader(data))
		return true
	})
	dir := t.TempDir()
	read := func() (requests int, size int64) {
		files, _ := openCached(t, s.URL, dir, Options{})
		a, err := ndarray.Open(s.URL+"/a", &ndarray.OpenOptions{FS: files, Verify: frame.VerifyWhole})
		check(t, err)
		defer a.Close()
		var item [4]byte
		check(t, a.ReadBytes(t.Context(), item[:], []int64{70, 120, 33}, []int64{71, 121, 34}))
		if want := (70*200+120)*200 + 33; int(item[0])|int(item[1])<<8|int(item[2])<<16 != want {
			t.Errorf("read %v, want %d", item, want)
		}
		return len(s.since()), sent.Swap(0)
	}
	cold, size := read()
	warm, again := read()
	t.Logf("first %d requests and %d bytes, then %d and %d", cold, size, warm, again)
	if cold > 4 || warm != 1 || again != 1 {
		t.Errorf("first %d requests, then %d and %d bytes; want 1 and 1", cold, warm, again)
	}
	tag = `"2"`
	if n, _ := read(); n < 3 {
		t.Errorf("%d requests for another version", n)
	}
	if n, _ := read(); n != 1 {
		t.Errorf("%d requests for the other version again", n)
	}
}

// TestCachedChange checks that a file that changes while it is open is a conflict, also if parts of
// it are kept.
func TestCachedChange(t *testing.T) {
	data := pattern(1 << 20)
	s := serve(t, map[string]served{"/f": {data: data, tag: `"1"`}})
	dir, got := t.TempDir(), make([]byte, 100)
	files, _ := openCached(t, s.URL, dir, Options{})
	f, err := files.Open(s.URL + "/f")
	check(t, err)
	_, err = f.ReadAt(got, 300_000)
	check(t, err)
	other := pattern(1<<20 + 1)[1:]
	s.put("/f", served{data: other, tag: `"2"`})
	if _, err = f.ReadAt(got, 500_000); !errors.Is(err, cairn.ErrConflict) {
		t.Errorf("a changed file: %v", err)
	}
	g, err := files.Open(s.URL + "/f")
	check(t, err)
	if _, err = g.ReadAt(got, 300_000); err != nil || !bytes.Equal(got, other[300_000:300_100]) {
		t.Errorf("the new file: %v", err)
	}
	// Whoever may not read the file is not given what is kept of it.
	s.instead(func(w http.ResponseWriter, _ *http.Request) bool { w.WriteHeader(403); return true })
	if _, err := files.Open(s.URL + "/f"); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("a forbidden file: %v", err)
	}
}

// TestUncertainVersions checks that only files whose version is certain are kept.
func TestUncertainVersions(t *testing.T) {
	data, old := pattern(1<<20), time.Now().Add(-time.Hour)
	for _, c := range []struct {
		served
		o    Options
		kept bool
	}{
		{served{data, `"1"`, time.Time{}}, Options{}, true},
		{served{data, `"1"`, old}, Options{}, true},
		{served{data, "", old}, Options{}, true},
		{served{data, `W/"1"`, old}, Options{}, true},
		{served{data, `"1"`, time.Now()}, Options{}, false},
		{served{data, "", time.Now()}, Options{}, false},
		{served{data, "", time.Now().Add(time.Hour)}, Options{}, false},
		{served{data, "", time.Time{}}, Options{Unpinned: true}, false},
	} {
		s := serve(t, map[string]served{"/f": c.served})
		files, cache := openCached(t, s.URL, t.TempDir(), c.o)
		f, err := files.Open(s.URL + "/f")
		check(t, err)
		got := make([]byte, 1000)
		if _, err = f.ReadAt(got, 300_000); err != nil || !bytes.Equal(got, data[300_000:301_000]) {
			t.Error(err)
		}
		check(t, f.Close())
		if kept := cache.Stats().Kept > 0; kept != c.kept {
			t.Errorf("%s, changed %v: kept %v", c.tag, c.modified, kept)
		}
	}
}

// TestCachedSecrets checks that the directory of a cache has no credentials, nor the URL.
func TestCachedSecrets(t *testing.T) {
	s := serve(t, map[string]served{"/f": {data: make([]byte, 1<<20), tag: `"1"`}})
	dir := t.TempDir()
	for _, sig := range []string{"s3cr3t", "s3cr3t-too"} {
		files, _ := openCached(t, s.URL, dir, Options{Token: "s3cr3t", Header: http.Header{"X-Key": {"s3cr3t"}}})
		s.since()
		f, err := files.Open(s.URL + "/f?X-Amz-Signature=" + sig)
		check(t, err)
		check(t, f.Close())
	}
	if n := len(s.since()); n != 1 {
		t.Errorf("%d requests for the URL with another signature", n)
	}
	n := 0
	check(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		n++
		b, err := os.ReadFile(path)
		for _, secret := range []string{"s3cr3t", "127.0.0.1"} {
			if strings.Contains(path, secret) || bytes.Contains(b, []byte(secret)) {
				t.Errorf("%s has %s", path, secret)
			}
		}
		return err
	}))
	if n < 3 {
		t.Errorf("%d files", n)
	}
}

func TestOrigin(t *testing.T) {
	const plain = "https://h:443/a/b"
	for link, want := range map[string]string{
		"https://H/a/b": plain, "https://me:pw@h:443/a/b": plain, "http://h/": "http://h:80/",
		"https://h/a/b?X-Amz-Date=1&x-amz-signature=2&versionId=3": plain + "?versionId=3",
		"https://h/a/b?X-Goog-Signature=2":                         plain,
		"https://h/a/b?sv=1&se=2&sp=r&sig=x&snapshot=4":            plain + "?snapshot=4",
		"https://h/a/b?sp=r&page=1":                                plain + "?sp=r&page=1",
		"https://h/a/b?Expires=1&Signature=2&Key-Pair-Id=3&f=a":    plain + "?f=a",
		"https://h/a/b?Expires=1&f=a":                              plain + "?Expires=1&f=a",
		"http://[::1]:8080/%2f?a":                                  "http://[::1]:8080/%2f?a",
	} {
		at, err := url.Parse(link)
		check(t, err)
		if got := originOf(at); got != want {
			t.Errorf("%s: %s, want %s", link, got, want)
		}
	}
}

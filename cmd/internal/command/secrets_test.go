package command

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cairn-go/cairn/ndarray"
)

// TestURLsKeepTheirSecrets checks that no verb shows the credentials or the query of a URL, whether
// it succeeds or fails.
func TestURLsKeepTheirSecrets(t *testing.T) {
	dir := t.TempDir()
	src := arangeFile(t, ndarray.Shape{20, 30, 40})
	at := func(name string) string { return filepath.Join(dir, name) }
	cairnOK(t, "copy", src, at("a.b2nd"))
	cairnOK(t, "copy", src, at("s.b2z")+"::/group/x")
	for _, name := range []string{"a.npy", "a.npz", "a.zarr", "a.zarr.zip"} {
		cairnOK(t, "export", src, at(name))
	}
	whole, err := os.ReadFile(at("a.b2nd"))
	if err != nil {
		t.Fatal(err)
	}
	bad := slices.Clone(whole)
	for i := len(bad) / 3; i < len(bad)/2; i++ {
		bad[i] ^= 0x55
	}
	for name, data := range map[string][]byte{"bad.b2nd": bad, "short.b2nd": whole[:100], "text.txt": []byte("some text\n"),
		"empty": nil, "short.npy": []byte("\x93NUMPY\x01\x00"), "bad.b2z": []byte("PK\x03\x04 and no more")} {
		if err := os.WriteFile(at(name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	files := http.FileServer(http.Dir(dir))
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if user, password, _ := r.BasicAuth(); user != "me" || password != "s3cr3t" ||
			r.URL.Query().Get("sig") != "s3cr3t" && !strings.Contains(r.URL.Path, ".zarr/") {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		files.ServeHTTP(w, r)
	}))
	defer s.Close()
	link := strings.Replace(s.URL, "//", "//me:s3cr3t@", 1) + "/"
	out, read := at("out.b2nd"), 0
	for _, name := range []string{"a.b2nd", "s.b2z", "s.b2z::/group/x", "s.b2z::/group/none", "a.npy", "a.npz", "a.zarr",
		"a.zarr.zip", "bad.b2nd", "short.b2nd", "text.txt", "empty", "short.npy", "bad.b2z", "none", "none/"} {
		file, key, isLeaf := strings.Cut(name, "::")
		url := link + file
		if !strings.HasSuffix(file, ".zarr") && !strings.HasSuffix(file, "/") {
			url += "?sig=s3cr3t"
		}
		if isLeaf {
			url += "::" + key
		}
		for _, args := range [][]string{
			{"info", url}, {"info", "-json", url}, {"tree", url}, {"head", url}, {"view", url}, {"stats", url}, {"stats", "-json", url},
			{"reduce", url}, {"cat", url}, {"verify", url}, {"verify", "-json", url}, {"diff", url, at("a.b2nd")},
			{"diff", at("a.b2nd"), url}, {"calc", "a + 1", "a=" + url, "-o", out}, {"copy", "-force", url, out},
			{"copy", "-force", "-json", url, out}, {"export", "-force", url, at("out.npy")}, {"import", "-force", url, out},
			{"repair", url, out}, {"concat", "-force", url, url, out}, {"split", "-force", "-parts", "2", url, at("out-{}.b2nd")},
			{"append", url, at("a.b2nd")}, {"append", at("a.b2nd"), url}, {"meta", "list", url}, {"meta", "set", url, "x", "1"},
			{"resize", url, "3"}, {"advise", url}, {"refs", url}, {"watch", url}, {"delete", url}, {"log", url}, {"adopt", url},
			{"copy", src, url}, {"export", src, url},
		} {
			r := cairnWith(t.Context(), strings.NewReader(""), args...)
			if args[0] == "head" && r.code == exitOK {
				read++
			}
			if strings.Contains(r.stdout+r.stderr, "s3cr3t") {
				t.Errorf("%v: exit %d, says\n%s%s", args, r.code, r.stdout, r.stderr)
			}
		}
	}
	if read != 7 {
		t.Errorf("%d arrays could be read, want 7", read)
	}
}

package command

import (
	"encoding/binary"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cairn-go/cairn/ndarray"
)

// A sending tells how many bytes an answer has, before they are sent: whoever waits for the answer
// finds them counted.
type sending struct {
	http.ResponseWriter
	sent []func(n int)
}

func (s sending) Write(b []byte) (int, error) {
	for _, f := range s.sent {
		f(len(b))
	}

	return s.ResponseWriter.Write(b)
}

// webServer serves the files of a directory, and counts requests.
func webServer(t *testing.T, dir string, sent ...func(n int)) (link string, requests *atomic.Int64) {
	t.Helper()
	requests = new(atomic.Int64)
	files := http.FileServer(http.Dir(dir))
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		files.ServeHTTP(sending{w, sent}, r)
	}))
	t.Cleanup(s.Close)
	return s.URL + "/", requests
}

// TestVerbsReadURLs checks that verbs say the same about a URL as about the file.
func TestVerbsReadURLs(t *testing.T) {
	dir := t.TempDir()
	src := arangeFile(t, ndarray.Shape{20, 30, 40})
	at := func(name string) string { return filepath.Join(dir, name) }
	cairnOK(t, "copy", "-chunks", "5,30,40", "-blocks", "1,10,10", src, at("a.b2nd"))
	cairnOK(t, "copy", src, at("s.b2z")+"::/group/x")
	for _, name := range []string{"a.npy", "a.npz", "a.zarr", "a.zarr.zip"} {
		cairnOK(t, "export", src, at(name))
	}
	link, _ := webServer(t, dir)
	for _, name := range []string{"a.b2nd", "s.b2z::/group/x", "a.npy", "a.npz", "a.zarr", "a.zarr.zip"} {
		for _, args := range [][]string{
			{"head", "-n", "2", "-s", "7"}, {"stats", "-s", "3:5"}, {"reduce"}, {"cat", "-s", "1,2"},
		} {
			here := append(slices.Clone(args), at(name))
			there := append(slices.Clone(args), link+name)
			want, got := cairnOK(t, here...), cairnOK(t, there...)
			if got = strings.ReplaceAll(got, link, dir+"/"); got != want {
				t.Errorf("%s: says\n%s\nwant\n%s", strings.Join(there, " "), got, want)
			}
		}
		cairnOK(t, "export", "-force", "-s", "7", at(name), at("here.npy"))
		cairnOK(t, "export", "-force", "-s", "7", link+name, at("there.npy"))
		want, err := os.ReadFile(at("here.npy"))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(at("there.npy")); err != nil || string(got) != string(want) {
			t.Errorf("%s: the export differs: %v", name, err)
		}
		info, local := cairnOK(t, "info", link+name), cairnOK(t, "info", at(name))
		if !strings.Contains(info, "20 × 30 × 40") || strings.Count(info, "\n") != strings.Count(local, "\n") {
			t.Errorf("info %s says\n%s\nwant as\n%s", name, info, local)
		}
		cairnOK(t, "verify", link+name)
		mean, got := cairnOK(t, "calc", "mean(a * 2)", "a="+at(name)), cairnOK(t, "calc", "mean(a * 2)", "a="+link+name)
		if got != mean {
			t.Errorf("calc with %s says %s, want %s", name, got, mean)
		}
	}
	cairnOK(t, "diff", at("a.b2nd"), link+"a.npy")
	cairnOK(t, "info", link+"s.b2z")
	cairnOK(t, "copy", link+"s.b2z", at("copied.b2z"))
	cairnOK(t, "diff", at("copied.b2z")+"::/group/x", link+"a.b2nd")
}

// TestURLsTakeFewRequests counts the requests of the command: files are opened once.
func TestURLsTakeFewRequests(t *testing.T) {
	dir := t.TempDir()
	cairnOK(t, "copy", "-chunks", "5,300,400", "-blocks", "1,100,100", arangeFile(t, ndarray.Shape{20, 300, 400}),
		filepath.Join(dir, "a.b2nd"))
	link, requests := webServer(t, dir)
	for _, c := range []struct {
		args []string
		most int64
	}{
		{[]string{"info", link + "a.b2nd"}, 6}, // both ends, and the headers of the chunks
		{[]string{"export", "-s", "7,7,7", link + "a.b2nd", filepath.Join(dir, "o.npy")}, 4},
	} {
		requests.Store(0)
		cairnOK(t, c.args...)
		if n := requests.Load(); n > c.most {
			t.Errorf("%v: %d requests, want %d", c.args, n, c.most)
		}
	}
}

// TestCacheOfURLs counts the requests of a second run with a cache, and of one after a change.
func TestCacheOfURLs(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "a.b2nd")
	change := func(args ...string) {
		cairnOK(t, args...)
		old := time.Now().Add(-time.Hour) // what has just changed is not kept
		if err := os.Chtimes(file, old, old); err != nil {
			t.Fatal(err)
		}
	}
	change("copy", "-chunks", "5,300,400", "-blocks", "1,100,100", arangeFile(t, ndarray.Shape{20, 300, 400}), file)
	link, requests := webServer(t, dir)
	for _, variable := range []string{"", filepath.Join(t.TempDir(), "new", "cache")} {
		t.Setenv("CAIRN_CACHE", variable)
		for i, args := range [][]string{
			{"head", "-s", "7,7,7", link + "a.b2nd"}, {"head", "-s", "7,7,7", link + "a.b2nd"},
			{"info", link + "a.b2nd"}, {"info", link + "a.b2nd"}, {"stats", link + "a.b2nd"}, {"stats", link + "a.b2nd"},
		} {
			want := cairnOK(t, append(slices.Clone(args[:len(args)-1]), file)...)
			requests.Store(0)
			if got := strings.ReplaceAll(cairnOK(t, args...), link, dir+"/"); args[0] != "info" && got != want {
				t.Errorf("%v says\n%s\nwant\n%s", args, got, want)
			}
			if n := requests.Load(); variable == "" && n < 2 || variable != "" && (i%2 == 1) != (n == 1) {
				t.Errorf("%v: %d requests, cache %q", args, n, variable)
			}
		}
	}
	change("copy", "-force", arangeFile(t, ndarray.Shape{3}), file)
	if got := cairnOK(t, "cat", link+"a.b2nd"); got != cairnOK(t, "cat", file) {
		t.Errorf("after the change: %q", got)
	}
	t.Setenv("CAIRN_CACHE", file)
	if r := cairnWith(t.Context(), strings.NewReader(""), "cat", link+"a.b2nd"); r.code == exitOK ||
		!strings.Contains(r.stderr, "CAIRN_CACHE") {
		t.Errorf("a cache that is a file: %+v", r)
	}
	cairnOK(t, "cat", file) // needs no cache
}

// TestURLsThatFail checks what the command says about URLs that cannot be read.
func TestURLsThatFail(t *testing.T) {
	link, _ := webServer(t, t.TempDir())
	withSecret := strings.Replace(link, "//", "//me:s3cr3t@", 1)
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"info", withSecret + "none.b2nd?sig=s3cr3t"}, "404 Not Found"},
		{[]string{"head", link + "none.zarr"}, "none"},
		{[]string{"head", "http://me:s3cr3t@ho st/x"}, "not a valid URL"},
		{[]string{"watch", link + "a.b2nd"}, "watch follows files on this machine, and"},
		{[]string{"meta", "set", link + "a.b2nd", "x", "1"}, "is on a web server, which only reads"},
	} {
		r := cairnWith(t.Context(), strings.NewReader(""), c.args...)
		if text := r.stderr; r.code == exitOK || !strings.Contains(text, c.want) {
			t.Errorf("%v: exit %d, %q; want %q", c.args, r.code, text, c.want)
		}
	}
}

// TestZarrOnWebServersByName reads arrays of stores without consolidated metadata, which web
// servers do not list: by their keys and URLs, and those that OME-Zarr names.
func TestZarrOnWebServersByName(t *testing.T) {
	file := netCDFFile(t, "classic.nc")
	for _, c := range []struct{ version, attributes string }{
		{"2", `{"multiscales": [{"datasets": [{"path": "t2m"}, {"path": "../x"}, {"path": "gone"}]}]}`},
		{"3", `{"ome": {"multiscales": [{"datasets": [{"path": "t2m"}, {"path": "../x"}, {"path": "gone"}]}]}}`},
	} {
		t.Run("version "+c.version, func(t *testing.T) {
			dir := t.TempDir()
			t.Chdir(dir)
			cairnNotes(t, "export", "-zarr", c.version, file, "g.zarr")
			loosen(t, "g.zarr", c.version, "{}")
			link, requests := webServer(t, dir)
			zarrByName(t, link, requests)

			loosen(t, "g.zarr", c.version, c.attributes)
			if got := cairnOK(t, "info", link+"g.zarr"); !strings.Contains(got, "t2m") || !strings.Contains(got, "of 1 array\n") {
				t.Errorf("info of an image: %s", got)
			}
		})
	}
}

// loosen gives a Zarr store attributes, and no consolidated metadata.
func loosen(t *testing.T, store, version, attributes string) {
	t.Helper()
	if version == "3" {
		writeFile(t, store+"/zarr.json", []byte(`{"zarr_format": 3, "node_type": "group", "attributes": `+attributes+`}`))
		return
	}
	if err := os.RemoveAll(store + "/.zmetadata"); err != nil {
		t.Fatal(err)
	}
	writeFile(t, store+"/.zattrs", []byte(attributes))
}

// zarrByName reads an array of g.zarr by its names.
func zarrByName(t *testing.T, link string, requests *atomic.Int64) {
	t.Helper()
	for _, name := range []string{"g.zarr::/t2m", "g.zarr::t2m", "g.zarr/::t2m", "g.zarr/t2m", "g.zarr/t2m/"} {
		requests.Store(0)
		got := cairnOK(t, "head", link+name)
		if n := requests.Load(); n > 60 {
			t.Errorf("%s: %d requests", name, n)
		}
		if !strings.Contains(got, "531.7") || strings.Contains(name, "::") != strings.Contains(got, "50.5") {
			t.Errorf("%s: %s", name, got)
		}
	}
	if got := cairnOK(t, "head", "-s", "lat~50", link+"g.zarr::t2m"); got == "" {
		t.Error("nothing at a latitude")
	}
	wantFailure(t, cairnWith(t.Context(), nil, "info", link+"g.zarr"), "does not list")
	wantFailure(t, cairnWith(t.Context(), nil, "head", link+"g.zarr::none"), "none")
}

// recordFile writes a classic NetCDF file with a time and a plane of shorts in each record.
func recordFile(t *testing.T, name string, records, plane int) {
	t.Helper()
	order := binary.BigEndian
	text := func(b []byte, s string) []byte {
		b = append(order.AppendUint32(b, uint32(len(s))), s...)
		return append(b, make([]byte, -len(s)&3)...)
	}
	words := func(b []byte, list ...uint32) []byte {
		for _, w := range list {
			b = order.AppendUint32(b, w)
		}
		return b
	}
	b := words([]byte("CDF\x01"), uint32(records), 10, 2)
	b = words(text(b, "time"), 0)
	b = words(text(b, "x"), uint32(plane))
	b = words(b, 0, 0, 11, 2)
	const header = 176
	b = words(text(b, "time"), 1, 0, 12, 1)
	b = words(text(b, "units"), 2)
	b = words(text(b, "days since 2000-01-01"), 6, 8, header)
	b = words(text(b, "air"), 2, 0, 1, 0, 0, 3, uint32(2*plane), header+8)
	if len(b) != header {
		t.Fatalf("the header has %d bytes", len(b))
	}
	for i := range records {
		b = order.AppendUint64(b, math.Float64bits(float64(i)))
		b = append(b, make([]byte, 2*plane)...)
	}
	writeFile(t, name, b)
}

// TestClassicFilesTakeFewRequests counts requests and bytes for a record file: what it is takes one
// round, and of its times nothing but the times is fetched.
func TestClassicFilesTakeFewRequests(t *testing.T) {
	dir := t.TempDir()
	const records, plane = 300, 10_000
	recordFile(t, filepath.Join(dir, "rec.nc"), records, plane)
	var sent atomic.Int64
	link, requests := webServer(t, dir, func(n int) { sent.Add(int64(n)) })
	for _, c := range []struct {
		args     []string
		requests int64
		bytes    int64
	}{
		{[]string{"info", link + "rec.nc"}, 3, 80 << 10},
		{[]string{"info", link + "rec.nc::air"}, 3, 80 << 10},
		{[]string{"stats", link + "rec.nc::time"}, records + 8, 80<<10 + 8*records},
		{[]string{"head", "-n", "1", "-s", "time=2000-03-01", link + "rec.nc::air"}, records + 8, 160 << 10},
	} {
		requests.Store(0)
		sent.Store(0)
		cairnOK(t, c.args...)
		if n, b := requests.Load(), sent.Load(); n > c.requests || b > c.bytes {
			t.Errorf("%v: %d requests, %d bytes; want %d, %d", c.args, n, b, c.requests, c.bytes)
		}
	}
}

// TestWhatIsNotThereTakesFewRequests counts requests for pages, directories and names that web
// servers do not have.
func TestWhatIsNotThereTakesFewRequests(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "sub"), 0o777); err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(dir, "junk.h5"), make([]byte, 3<<20))
	for _, c := range []struct {
		operand string
		most    int64
		want    string
	}{
		{"", 9, "give the URL of a file"},
		{"sub/", 9, "give the URL of a file"},
		{"none.zarr", 9, "none of the files"},
		{"sub", 6, "web page"},
		{"none.nc", 4, "404 Not Found"},
		{"junk.h5", 9, "the magic bytes"},
	} {
		for _, verb := range []string{"info", "head", "stats", "verify"} {
			// Each verb has a server: requests that it cancelled may arrive when it has ended.
			link, requests := webServer(t, dir)
			r := cairnWith(t.Context(), nil, verb, link+c.operand)
			wantFailure(t, r, c.want)
			if n := requests.Load(); n > c.most {
				t.Errorf("%s %s: %d requests, want %d", verb, c.operand, n, c.most)
			}
		}
	}
}

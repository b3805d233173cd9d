package serve

import (
	"bytes"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
)

var hostileCount = flag.Int("hostile", 4000, "how many hostile requests TestHostileRequests sends")

// words are parts of hostile paths and queries.
var words = []string{"..", ".", "", "%2e%2e", "%2f", "%5c", "%00", "..;", "...", "//", `\`, "a.b2nd", "a.npy", "sub", "deep", "link", "up",
	".secret", "secret", "data", "runs.npz", "g", "a", "tree.b2z", "tree.b2d", "tree.b2e", "y", "one.zarr", "v2.zarr", "v3.zarr",
	"v3.zarr.zip", "zarr.json", ".zarray", "c", "0", "0.0", "embed.b2e", "chunks.b2frame", "notes.txt", "sparse.b2nd",
	"%c0%ae", "\u202e", "é", strings.Repeat("x", 300), "CON", "C:", "~", "*", "?", "proc", "etc", "passwd", "%", "%zz", "&", "+", "\t", "%0d%0a"}

var prefixes = []string{"/", "/api/v1/list/", "/api/v1/info/", "/api/v1/slice/", "/api/v1/points/", "/api/v1/stats/",
	"/api/v1/chunks/", "/api/v1/coordinates/", "/api/v1/tiles/", "/zarr/", "/files/", "/metrics", "/healthz", "/static/", "/api/v2/"}

var keys = []string{"s", "format", "field", "at", "bins", "first", "limit", "after", "search", "dim", "start", "stop", "v",
	"y", "x", "level", "ty", "tx", "quality", "download", "bogus"}

var values = []string{"", "0", "-1", "1", "5", "99999999999999999999", "9223372036854775807", "-9223372036854775808", "1e9", "NaN",
	":", "::", "::-1", "0:0", "::0", "...", "1,2", "0,0", ",", ",,,,", "[0,1]", "[", "]", "y=20", "y~20", "y=:", "x[0]", "x[", "None",
	"None,None,None,None,None,None,None,None,None,None,None,None,None,None,None,None,None", strings.Repeat("None,", 500),
	strings.Repeat("[", 5000), "raw", "npy", "b2nd", "json", "csv", "png", "..", "../secret", "secret", "%00", "a", "\xff", "exact", "sampled"}

var headers = map[string][]string{
	"Range": {"bytes=0-", "bytes=-1", "bytes=5-1", "bytes=0-0,0-0,0-0", "bytes=" + strings.Repeat("0-9,", 31) + "0-1",
		"bytes=99999999999999999999-", "bytes=-99999999999999999999", "bytes=0-9223372036854775807", "bytes", "items=0-1", "bytes=a-b",
		strings.Repeat("bytes=1-2,", 3000)},
	"If-Range":          {`"x"`, "W/\"x\"", "Mon, 01 Jan 2024 00:00:00 GMT", "x"},
	"If-None-Match":     {"*", `"x"`, strings.Repeat(`"x",`, 1000), `"`, "W/"},
	"Accept-Encoding":   {"gzip", "gzip;q=x", "*;q=0", strings.Repeat("gzip,", 1000)},
	"Host":              {"localhost", "evil.example", "", "[::1", "localhost:99999999", "127.0.0.1:1:1", "*", "\x00"},
	"Origin":            {"null", "http://localhost", "https://evil.example", "://", "*", ""},
	"Authorization":     {"Bearer", "Bearer x", "Basic x", ""},
	"Sec-Fetch-Site":    {"cross-site", "same-origin", "x"},
	"If-Modified-Since": {"Mon, 01 Jan 2034 00:00:00 GMT", "x"},
}

// hostileRequest makes up a request.
func hostileRequest(rng *rand.Rand) *http.Request {
	pick := func(list []string) string { return list[rng.IntN(len(list))] }
	target := pick(prefixes)
	if rng.IntN(3) > 0 {
		target += "data/"
	}
	for range rng.IntN(5) {
		target += pick(words) + "/"
	}
	target = target[:len(target)-rng.IntN(2)]
	mark := "?"
	for range rng.IntN(4) {
		target += mark + pick(keys) + "=" + pick(values)
		mark = "&"
	}
	method := "GET"
	if rng.IntN(10) == 0 {
		method = pick([]string{"HEAD", "POST", "OPTIONS", "PUT", "TRACE", "CONNECT", "DELETE", "GETT"})
	}
	r, err := http.NewRequest(method, "http://localhost", nil)
	if err != nil {
		return nil
	}
	path, query, _ := strings.Cut(target, "?")
	r.Host, r.URL.RawQuery, r.RemoteAddr = "localhost", query, fmt.Sprintf("10.0.0.%d:1", rng.IntN(4))
	if u, err := r.URL.Parse("http://localhost" + path); err == nil {
		r.URL.Path, r.URL.RawPath = u.Path, u.RawPath
	} else {
		r.URL.Path = path // what no client sends, but a proxy might
	}
	for name, list := range headers {
		if rng.IntN(8) == 0 {
			r.Header.Set(name, pick(list))
		}
	}
	if host := r.Header.Get("Host"); host != "" {
		r.Host = host
	}
	return r
}

// checkAnswer fails if an answer shows what it must not, or is no answer at all.
func checkAnswer(t testing.TB, r *http.Request, w *httptest.ResponseRecorder) {
	t.Helper()
	body := w.Body.Bytes()
	if bytes.Contains(body, []byte(secret)) {
		t.Errorf("%s %s shows a secret", r.Method, r.URL)
	}
	if w.Code >= 500 && w.Code != http.StatusNotImplemented {
		t.Errorf("%s %s %v: status %d: %s", r.Method, r.URL, r.Header, w.Code, body[:min(200, len(body))])
	}
	if w.Code >= 400 && r.Method != http.MethodHead && w.Code != 416 && !bytes.HasPrefix(body, []byte(`{"error":`)) &&
		w.Header().Get("Content-Type") == "application/json" {
		t.Errorf("%s %s: status %d: %s", r.Method, r.URL, w.Code, body)
	}
	if w.Header().Get("Content-Security-Policy") == "" || w.Header().Get("X-Content-Type-Options") != "nosniff" {
		t.Errorf("%s %s: the header lacks what secures it: %v", r.Method, r.URL, w.Header())
	}
}

// TestHostileRequests sends requests with hostile paths, queries and header fields.
func TestHostileRequests(t *testing.T) {
	h := handler(t, []Root{{Path: folder(t)}}, nil)
	rng := rand.New(rand.NewPCG(20, 1))
	var before, after runtime.MemStats
	for i := range *hostileCount {
		r := hostileRequest(rng)
		if r == nil {
			continue
		}
		runtime.ReadMemStats(&before)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r.WithContext(t.Context()))
		runtime.ReadMemStats(&after)
		checkAnswer(t, r, w)
		if spent := after.TotalAlloc - before.TotalAlloc; spent > 128<<20 {
			t.Errorf("request %d, %s %s: %d bytes allocated", i, r.Method, r.URL, spent)
		}
		if t.Failed() {
			return
		}
	}
	if h.limits.Memory.Used() != 0 || len(h.gate.slots) != 0 || len(h.gate.clients) != 0 {
		t.Error("something is still taken")
	}
}

// FuzzRequest looks for requests that panic or show what is hidden.
func FuzzRequest(f *testing.F) {
	h := handler(f, []Root{{Path: folder(f)}}, nil)
	for i := range 50 {
		if r := hostileRequest(rand.New(rand.NewPCG(1, uint64(i)))); r != nil {
			f.Add(r.URL.Path, r.URL.RawQuery, r.Header.Get("Range"), r.Host)
		}
	}
	f.Fuzz(func(t *testing.T, path, query, ranges, host string) {
		if !strings.HasPrefix(path, "/") {
			return
		}
		r := httptest.NewRequestWithContext(t.Context(), "GET", "http://localhost/", nil)
		r.URL.Path, r.URL.RawQuery, r.Host = path, query, host
		r.Header.Set("Range", ranges)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		checkAnswer(t, r, w)
	})
}

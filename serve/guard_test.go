package serve

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestOutside checks that nothing outside of the roots is served, and nothing hidden.
func TestOutside(t *testing.T) {
	h := handler(t, []Root{{Path: folder(t)}}, nil)
	for _, target := range []string{
		"/files/data/../secret", "/files/../secret", "/files/data/%2e%2e/secret", "/files/data/..%2fsecret",
		"/files/data/sub/..%5c..%5csecret", "/files/data/link", "/files/data/sub/up/secret", "/files/data/.secret",
		"/files/data/.hidden/secret", "/files/data/sub/.secret", "/files//data/a.b2nd", "/files/data//a.b2nd",
		"/files/data/a.b2nd/x", "/files/data/sub", "/files/data", "/files/", "/files", "/files/data/a.b2nd%00",
		"/files/data/./a.b2nd", "/api/v1/info/data/link", "/api/v1/list/data/sub/up", "/files/data/tree.b2d/../../secret",
		"/files/data/one.zarr/.secret", "/files/" + strings.Repeat("data/", 2000),
	} {
		if w := ask(t, h, target); w.Code != http.StatusNotFound && w.Code != http.StatusBadRequest {
			t.Errorf("%s: status %d: %s", target, w.Code, w.Body)
		} else if strings.Contains(w.Body.String(), secret) {
			t.Errorf("%s shows a secret", target)
		}
	}
	for _, target := range []string{"/files/data/one.zarr/zarr.json", "/files/data/v2.zarr/.zgroup",
		"/files/data/v2.zarr/g/a/.zarray", "/files/data/tree.b2d/embed.b2e", "/files/data/sub/deep/sparse.b2nd/chunks.b2frame"} {
		want(t, h, 200, target)
	}
}

func TestGuard(t *testing.T) {
	o := &Options{Hosts: []string{"arrays.example"}, Origins: []string{"https://friend.example"}}
	h := handler(t, []Root{{Path: folder(t)}}, o)
	const target = "/api/v1/list"
	for status, fields := range map[int][][]string{
		200: {{}, {"Host", "arrays.example:8080"}, {"Host", "ARRAYS.example."}, {"Host", "[::1]:80"},
			{"Origin", "https://friend.example"}, {"Host", "localhost:8080", "Origin", "http://localhost:8080"}},
		421: {{"Host", "evil.example"}, {"Host", "127.0.0.1.evil.example"}, {"Host", "10.0.0.1"}},
		403: {{"Origin", "https://evil.example"}, {"Origin", "null"}, {"Origin", "http://localhost:99999"}},
	} {
		for _, f := range fields {
			want(t, h, status, target, f...)
		}
	}
	w, _ := want(t, h, 200, target, "Origin", "https://friend.example")
	if w.Header().Get("Access-Control-Allow-Origin") != "https://friend.example" || w.Header().Get("Vary") == "" {
		t.Errorf("the header for a friend: %v", w.Header())
	}
	for _, name := range []string{"Content-Security-Policy", "X-Content-Type-Options", "Referrer-Policy"} {
		if w.Header().Get(name) == "" {
			t.Errorf("no %s", name)
		}
	}
	closed := handler(t, []Root{{Path: folder(t)}}, nil)
	want(t, closed, 403, target, "Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "no-cors")
	want(t, closed, 200, target, "Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate")
	anyone := handler(t, []Root{{Path: folder(t)}}, &Options{Hosts: []string{"*"}, Origins: []string{"*"}})
	want(t, anyone, 200, target, "Host", "other.example", "Origin", "https://other.example")
}

func TestToken(t *testing.T) {
	h := handler(t, []Root{{Path: folder(t)}}, &Options{Token: "opensesame"})
	for _, given := range []string{"", "Bearer ", "Bearer wrong", "opensesame", "Basic opensesame", "Bearer opensesamee"} {
		if w, _ := want(t, h, 401, "/api/v1/list", "Authorization", given); w.Header().Get("WWW-Authenticate") == "" {
			t.Error("the answer does not ask for a token")
		}
		want(t, h, 401, "/metrics", "Authorization", given)
	}
	want(t, h, 200, "/api/v1/list", "Authorization", "Bearer opensesame")
	want(t, h, 200, "/healthz")
}

func TestMethods(t *testing.T) {
	h := handler(t, []Root{{Path: folder(t)}}, nil)
	for _, target := range []string{"/api/v1/list", "/api/v1/info/data/a.b2nd", "/api/v1/slice/data/a.b2nd", "/files/data/a.b2nd",
		"/healthz", "/metrics", "/api/v1/slice/data/a.b2nd?format=npy"} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(http.MethodHead, "http://localhost"+target, nil))
		if w.Code != 200 || w.Body.Len() > 0 {
			t.Errorf("HEAD %s: status %d, %d bytes", target, w.Code, w.Body.Len())
		}
	}
	for _, method := range []string{"POST", "PUT", "DELETE", "PATCH", "TRACE", "CONNECT", "PROPFIND"} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(method, "http://localhost/files/data/a.b2nd", nil))
		if w.Code != 405 {
			t.Errorf("%s: status %d", method, w.Code)
		}
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("OPTIONS", "http://localhost/files/data/a.b2nd", nil))
	if w.Code != 204 {
		t.Errorf("OPTIONS: status %d", w.Code)
	}
	w = httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("GET", "http://localhost/api/v1/list", strings.NewReader("a body")))
	if w.Code != 400 {
		t.Errorf("a body: status %d", w.Code)
	}
}

// TestOwnAddress checks that a server answers to the address at which a request arrives.
func TestOwnAddress(t *testing.T) {
	h := handler(t, []Root{{Path: folder(t)}}, nil)
	r := httptest.NewRequest("GET", "http://192.0.2.7:8080/api/v1/list", nil)
	for status, at := range map[int]string{200: "192.0.2.7", 421: "192.0.2.8"} {
		w := httptest.NewRecorder()
		ctx := context.WithValue(t.Context(), http.LocalAddrContextKey, &net.TCPAddr{IP: net.ParseIP(at)})
		h.ServeHTTP(w, r.WithContext(ctx))
		if w.Code != status {
			t.Errorf("at %s: status %d", at, w.Code)
		}
	}
}

func TestFiles(t *testing.T) {
	h := handler(t, []Root{{Path: folder(t)}}, nil)
	settled(t, h)
	const target = "/files/data/notes.txt"
	w, body := want(t, h, 200, target)
	tag := w.Header().Get("ETag")
	if string(body) != "0123456789" || w.Header().Get("Accept-Ranges") != "bytes" || w.Header().Get("Content-Type") != "application/octet-stream" {
		t.Errorf("a file: %v, %q", w.Header(), body)
	}
	for ranges, part := range map[string]string{"bytes=0-3": "0123", "bytes=7-": "789", "bytes=-2": "89", "bytes=8-100": "89"} {
		if _, body := want(t, h, 206, target, "Range", ranges); string(body) != part {
			t.Errorf("%s: %q", ranges, body)
		}
	}
	want(t, h, 416, target, "Range", "bytes=10-")
	want(t, h, 416, target, "Range", "bytes=0-0"+strings.Repeat(",1-1", 100))
	want(t, h, 206, target, "Range", "bytes=0-3", "If-Range", tag)
	want(t, h, 200, target, "Range", "bytes=0-3", "If-Range", `"other"`)
	w, body = want(t, h, 206, target, "Range", "bytes=0-1,5-6")
	if !strings.HasPrefix(w.Header().Get("Content-Type"), "multipart/byteranges") || !bytes.Contains(body, []byte("56")) {
		t.Errorf("two ranges: %v, %q", w.Header(), body)
	}
	server := httptest.NewServer(h) // by the way of sendfile
	defer server.Close()
	answer, err := http.Get(server.URL + target)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if body, err := io.ReadAll(answer.Body); err != nil || string(body) != "0123456789" {
		t.Errorf("over a connection: %q, %v", body, err)
	}
}

func TestLogsAndMetrics(t *testing.T) {
	var log bytes.Buffer
	h := handler(t, []Root{{Path: folder(t)}}, &Options{Log: slog.New(slog.NewJSONHandler(&log, nil))})
	want(t, h, 200, "/api/v1/info/data/a.b2nd")
	want(t, h, 404, "/api/v1/info/data/%0anone")
	lines := strings.Split(strings.TrimSpace(log.String()), "\n")
	var line struct {
		Route, Path, Method, Client string
		Status                      int
	}
	if len(lines) != 2 || json.Unmarshal([]byte(lines[1]), &line) != nil || line.Status != 404 || line.Route != "info" ||
		line.Path != "/api/v1/info/data/%0anone" || line.Client == "" {
		t.Errorf("the log: %q", lines)
	}
	_, body := want(t, h, 200, "/metrics")
	for _, part := range []string{`cairn_requests_total{route="info",code="200"} 1`, `cairn_requests_total{route="info",code="404"} 1`,
		`cairn_request_seconds_count{route="info"} 2`, `cairn_requests_in_flight 1`, `cairn_open 1`,
		`cairn_memory_bytes 0`, `cairn_request_seconds_bucket{route="info",le="+Inf"} 2`} {
		wantText(t, body, part)
	}
}

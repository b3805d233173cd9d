package httprange

import (
	"fmt"
	"net/http"
	"testing"
	"time"
)

func TestContentRange(t *testing.T) {
	for s, want := range map[string]string{
		"bytes 0-0/1": "0 0 1 true", "bytes 5-9/10": "5 9 10 true", "bytes 5-9/*": "5 9 -1 true",
		"bytes */10": "-1 -1 10 true",
	} {
		first, last, size, ok := parseContentRange(s)
		if got := fmt.Sprint(first, last, size, ok); got != want {
			t.Errorf("%q: %s, want %s", s, got, want)
		}
	}
	for _, s := range []string{"", "bytes", "bytes ", "bytes /", "bytes 0-0", "bytes 0-0/", "bytes 1-0/9", "bytes 0-9/9",
		"bytes -1-0/9", "bytes 0--1/9", "bytes +0-1/9", "bytes 0-1/-9", "Bytes 0-1/9", "bytes 0-1/9 ", "bytes */*",
		"bytes 0-1/99999999999999999999", "bytes=0-1/9", "bytes 0-1,2-3/9"} {
		if _, _, _, ok := parseContentRange(s); ok {
			t.Errorf("%q is valid", s)
		}
	}
}

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for s, want := range map[string]time.Duration{
		"": 0, "0": 0, "7": 7 * time.Second, "-7": 0, "x": 0, "1.5": 0, "60": maxWait,
		"61": maxWait + time.Second, "9223372036854775807": maxWait + time.Second, "99999999999999999999": 0,
		"Fri, 02 Jan 2026 03:04:15 GMT": 10 * time.Second, "Fri, 02 Jan 2026 03:04:00 GMT": 0,
	} {
		if got := parseRetryAfter(s, now); got != want {
			t.Errorf("%q: %v, want %v", s, got, want)
		}
	}
}

func TestStrongTags(t *testing.T) {
	for tag, want := range map[string]bool{`"1"`: true, `""`: true, `"é"`: true, `W/"1"`: false, "": false, `"`: false,
		"1": false, `"a"b"`: false, "\"a\nb\"": false, `"a b"`: false} {
		if got := isStrong(tag); got != want {
			t.Errorf("%s: %v", tag, got)
		}
	}
}

// FuzzAnswer passes arbitrary headers of answers to the code that checks them. What is accepted has
// the bytes that were asked for, and no more.
func FuzzAnswer(f *testing.F) {
	f.Add(206, "bytes 100-199/1000", `"1"`, "", "", "", int64(100), int64(100), 100)
	f.Add(206, "bytes 900-999/1000", `W/"1"`, "Fri, 02 Jan 2026 03:04:15 GMT", "", "text/html", int64(-1), int64(-1), 100)
	f.Add(206, "bytes 0-9/10", `"1"`, "", "gzip", "multipart/byteranges; boundary=x", int64(10), int64(0), 100)
	f.Add(416, "bytes */0", `"1"`, "", "", "", int64(0), int64(0), 64)
	f.Add(200, "", "", "", "identity", "", int64(0), int64(-5), 1)
	f.Add(503, "", "", "", "", "", int64(0), int64(0), 1)
	f.Fuzz(func(t *testing.T, status int, span, tag, modified, coding, kind string, length, off int64, n int) {
		n = max(1, min(n, 1<<16))
		off = max(-1, min(off, 1<<62))
		h := http.Header{"Content-Range": {span}, "Etag": {tag}, "Last-Modified": {modified},
			"Content-Encoding": {coding}, "Content-Type": {kind}, "Retry-After": {modified}}
		resp := &http.Response{StatusCode: status, Header: h, ContentLength: length}
		for _, id := range []*identity{nil, {size: 1 << 62, tag: `"1"`, strong: true}} {
			q := &query{off: off, data: make([]byte, n), id: id}
			if id != nil {
				q.off = max(0, off)
			}
			if q.accept(resp, false) != nil {
				continue
			}
			if q.id == nil || len(q.data) > n || q.off < 0 || q.id.size < 0 {
				t.Fatalf("accepted: %+v", q)
			}
			if id == nil && off >= 0 && len(q.data) > 0 && q.off != off {
				t.Fatalf("other bytes: %d instead of %d", q.off, off)
			}
			if id == nil && q.off+int64(len(q.data)) > q.id.size && len(q.data) > 0 {
				t.Fatalf("beyond the end: %+v", q)
			}
			again := &query{off: q.off, data: make([]byte, len(q.data)), id: q.id}
			if len(again.data) > 0 && again.accept(resp, false) != nil {
				t.Fatalf("refused the second time: %+v", q)
			}
		}
		_ = parseRetryAfter(span, time.Unix(0, 0))
	})
}

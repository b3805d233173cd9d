package objectstore

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/test/storagetest"
	"github.com/cairn-go/cairn/storage"
)

func TestBucket(t *testing.T) {
	for _, prefix := range []string{"", "a/b", "c/"} {
		t.Run(prefix, func(t *testing.T) {
			storagetest.RunBucket(t, func(*testing.T) storage.Bucket { return New(newFake(), prefix) })
		})
	}
}

func TestFaults(t *testing.T) {
	schedules := 300
	if testing.Short() {
		schedules = 100
	}
	f := newFake()
	b := newBucket(f, "", fast())
	storagetest.RunBucketFaults(t, schedules, b, b, f.disturb, f.calm)
}

// TestUploadsEnd checks that an upload that fails leaves no parts behind.
func TestUploadsEnd(t *testing.T) {
	f := newFake()
	b := newBucket(f, "", fast())
	data := make([]byte, 5500)
	if _, err := b.Put(t.Context(), "a", data, storage.When{Absent: true}); err != nil {
		t.Fatal(err)
	}
	if f.requests != 8 { // it begins, has six parts, and is complete
		t.Errorf("%d requests", f.requests)
	}
	if _, err := b.Put(t.Context(), "a", data, storage.When{Absent: true}); !errors.Is(err, cairn.ErrConflict) {
		t.Errorf("%v", err)
	}
	if len(f.uploads) != 0 {
		t.Errorf("%d uploads are left", len(f.uploads))
	}
}

// lossy loses the answers of all puts, and calls after once each has been carried out.
type lossy struct {
	*fake
	after func()
}

func (l lossy) Put(ctx context.Context, key string, data []byte, when storage.When, mark string) (string, error) {
	if _, err := l.fake.Put(ctx, key, data, when, mark); err != nil {
		return "", err
	}
	l.after()
	return "", Unanswered(io.ErrUnexpectedEOF)
}

func TestPutWhoseAnswerIsLost(t *testing.T) {
	f := newFake()
	b := newBucket(lossy{f, func() {}}, "p", fast())
	at, err := b.Put(t.Context(), "a", []byte("one"), storage.When{Absent: true})
	if err != nil || at.Version != objectOf(t, f, "p/a").version {
		t.Fatalf("%+v, %v", at, err)
	}
	if at, err = b.Put(t.Context(), "a", []byte("two"), storage.When{Version: at.Version}); err != nil {
		t.Fatal(err)
	}
	// Somebody else puts the same bytes: the mark tells them apart.
	other := func() { _, _ = f.put("p/a", []byte("three"), storage.When{}, "other") }
	_, err = newBucket(lossy{f, func() { f.locked(other) }}, "p", fast()).
		Put(t.Context(), "a", []byte("three"), storage.When{Version: at.Version})
	if err == nil || errors.Is(err, cairn.ErrConflict) || !strings.Contains(err.Error(), "read it again") {
		t.Errorf("a put that was replaced before its outcome was known: %v", err)
	}
	// Without an earlier attempt there is no doubt.
	_, err = newBucket(f, "p", fast()).Put(t.Context(), "a", nil, storage.When{Version: at.Version})
	if !errors.Is(err, cairn.ErrConflict) {
		t.Errorf("%v", err)
	}
}

// refusing answers every request with one failure.
type refusing struct {
	Client
	failure error
	n       atomic.Int64
}

func (r *refusing) Head(context.Context, string) (storage.Object, string, error) {
	r.n.Add(1)
	return storage.Object{}, "", r.failure
}

func TestFailures(t *testing.T) {
	reset := errors.New("connection reset")
	signed := &url.Error{Op: "Get", URL: "https://account.example/c/b?sv=1&sig=SECRET", Err: reset}
	other := errors.New(`redirected to "https://account.example/c/b?sig=SECRET" in vain`)
	for _, c := range []struct {
		failure  error
		attempts int64
		match    error
		text     string
	}{
		{Answered(404, "", "", ""), 1, fs.ErrNotExist, "stat a: does not exist (404 )"},
		{Answered(403, "AccessDenied", "s3:GetObject\nis not allowed", ""), 1, fs.ErrPermission,
			"stat a: permission denied (403 AccessDenied): s3:GetObject is not allowed"},
		{Answered(412, "X", "", ""), 1, cairn.ErrConflict, "stat a: has changed (412 X)"},
		{Answered(416, "X", "", ""), 1, cairn.ErrBounds, "stat a: range outside of the object (416 X)"},
		{Answered(400, "Bad", strings.Repeat("é", 200), ""), 1, nil,
			"stat a: request failed (400 Bad): " + strings.Repeat("é", 150) + "…"},
		{Answered(501, "X", "", ""), 1, nil, "stat a: request failed (501 X)"},
		{Answered(500, "X", "", ""), 8, nil, "stat a: request failed (500 X)"},
		{Answered(429, "X", "", "0"), 8, nil, "stat a: request failed (429 X)"},
		{Unanswered(signed), 8, nil, "stat a: request failed: connection reset"},
		{Unanswered(fmt.Errorf("get: %w", signed)), 8, nil, "stat a: request failed: connection reset"},
		{Unanswered(other), 8, nil, `stat a: request failed: redirected to "https://account.example/c/b?…" in vain`},
	} {
		r := &refusing{failure: c.failure}
		_, err := newBucket(r, "", fast()).Stat(t.Context(), "a")
		if err == nil || err.Error() != c.text || r.n.Load() != c.attempts {
			t.Errorf("%v after %d attempts, want %s after %d", err, r.n.Load(), c.text, c.attempts)
		}
		for _, target := range []error{fs.ErrNotExist, fs.ErrPermission, cairn.ErrConflict, cairn.ErrBounds} {
			if errors.Is(err, target) != (target == c.match) {
				t.Errorf("%v matches %v: %v", err, target, errors.Is(err, target))
			}
		}
	}
}

// TestRetryAfter checks that a bucket waits as long as it is asked to.
func TestRetryAfter(t *testing.T) {
	for header, want := range map[string]time.Duration{"": 0, "3": 3 * time.Second, "-1": 0, "soon": 0,
		"Thu, 01 Jan 2015 00:00:00 GMT": 0} {
		if got := waitOf(header); got != want {
			t.Errorf("%q: %v, want %v", header, got, want)
		}
	}
	if got := waitOf(time.Now().Add(time.Hour).UTC().Format("Mon, 02 Jan 2006 15:04:05 GMT")); got < 50*time.Minute {
		t.Errorf("in an hour: %v", got)
	}
	synctest.Test(t, waitAsAsked)
}

func waitAsAsked(t *testing.T) {
	s := fast()
	s.attempts = 2
	begin := time.Now()
	_, err := newBucket(&refusing{failure: Answered(429, "X", "", "0.05")}, "", s).Stat(t.Context(), "a")
	if took := time.Since(begin); err == nil || took < 50*time.Millisecond || took > 60*time.Millisecond {
		t.Errorf("%v after %v", err, took)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	begin = time.Now()
	_, err = newBucket(&refusing{failure: Answered(429, "X", "", "60")}, "", s).Stat(ctx, "a")
	if took := time.Since(begin); !errors.Is(err, context.DeadlineExceeded) || took > 20*time.Millisecond {
		t.Errorf("%v after %v", err, took)
	}
}

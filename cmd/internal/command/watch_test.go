package command

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cairn-go/cairn/cmd/internal/command/internal/console"
	"github.com/cairn-go/cairn/ndarray"
)

// A heard is output that a test reads while a verb runs.
type heard struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (h *heard) Write(p []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.buf.Write(p)
}

func (h *heard) take() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	defer h.buf.Reset()
	return h.buf.String()
}

// A watching is a run of watch whose clock is in the hands of the test.
type watching struct {
	out, err heard
	ticks    chan time.Time
	ended    chan int
}

func startWatch(ctx context.Context, args ...string) *watching {
	w := &watching{ticks: make(chan time.Time), ended: make(chan int, 1)}
	std := &streams{Console: console.Console{Out: &w.out, Err: &w.err}, in: strings.NewReader(""), ticks: w.ticks}
	go func() { w.ended <- std.run(ctx, append([]string{"watch"}, args...)) }()
	return w
}

// tick lets one look pass completely, as the second tick shows, and another one begin.
func (w *watching) tick(t *testing.T) string {
	t.Helper()
	for range 2 {
		select {
		case w.ticks <- time.Time{}:
		case code := <-w.ended:
			t.Fatalf("watch ended with %d: %s", code, w.err.take())
		case <-time.After(time.Minute):
			t.Fatal("watch waits for nothing")
		}
	}
	return w.out.take()
}

func growing(t *testing.T, rows int64) (string, func(rows int64)) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "log.b2nd")
	resize := func(rows int64) {
		a, err := ndarray.OpenAs[int16](path, &ndarray.OpenOptions{Mode: ndarray.ReadWrite})
		if err != nil {
			t.Fatal(err)
		}
		defer a.Close()
		before := a.Shape()[0]
		err = a.Atomically(t.Context(), func() error { // a look may happen at any time
			err := a.Resize(t.Context(), ndarray.Shape{rows, 3}, nil)
			for i := before; i < rows && err == nil; i++ {
				err = a.Write(t.Context(), []int16{int16(i), int16(10 * i), int16(-i)}, ndarray.Index(i))
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	a, err := ndarray.Create[int16](path, ndarray.Shape{0, 3}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	resize(rows)
	return path, resize
}

func TestWatchPrintsNewRows(t *testing.T) {
	path, resize := growing(t, 5)
	ctx, cancel := context.WithCancel(t.Context())
	w := startWatch(ctx, "-n", "2", path)
	if got := w.tick(t); got != "# 5 × 3 <i2\n[3]  3  30  -3\n[4]  4  40  -4\n" {
		t.Errorf("at first\n%s", got)
	}
	resize(7)
	if got := w.tick(t); got != "[5]  5  50  -5\n[6]  6  60  -6\n" {
		t.Errorf("after two more rows\n%s", got)
	}
	if got := w.tick(t); got != "" {
		t.Errorf("without news\n%s", got)
	}
	resize(4)
	if got := w.tick(t); got != "# now 4 × 3\n" {
		t.Errorf("of a shorter array\n%s", got)
	}
	resize(1200)
	if got := w.tick(t); !strings.HasPrefix(got,
		"# 196 rows left out\n [200]   200") || !strings.HasSuffix(got, "-1199\n") {
		t.Errorf("after many rows\n%.100s", got)
	}
	cancel()
	if code := <-w.ended; code != exitFailed || w.err.take() != "" { // interrupted by no signal
		t.Errorf("ended with %d", code)
	}
}

func TestWatchPlots(t *testing.T) {
	path, resize := growing(t, 4)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	w := startWatch(ctx, "-plot", "-s", ":, 1", path)
	first := w.tick(t)
	if !strings.Contains(first, "4 rows") || strings.Contains(first, "\x1b") {
		t.Errorf("at first\n%s", first)
	}
	if got := w.tick(t); got != "" {
		t.Errorf("without news\n%s", got)
	}
	resize(50)
	if got := w.tick(t); !strings.Contains(got, "50 rows") || !strings.Contains(got, "400") {
		t.Errorf("after more rows\n%s", got)
	}
}

// TestWatchNumbersRows draws the last rows of an array without coordinates: the axis has their
// places in the array.
func TestWatchNumbersRows(t *testing.T) {
	path, _ := growing(t, 1000)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	for _, selection := range []string{":, 1", ":"} {
		got := startWatch(ctx, "-plot", "-n", "100", "-s", selection, path).tick(t)
		if !strings.Contains(got, "950") || strings.Contains(got, " 50 ") {
			t.Errorf("-s %s\n%s", selection, got)
		}
	}
}

// TestWatchSurvivesReplacement removes the file for some looks, and then for too many.
func TestWatchSurvivesReplacement(t *testing.T) {
	path, _ := growing(t, 3)
	other, _ := growing(t, 4)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	w := startWatch(ctx, path)
	w.tick(t)
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if got := w.tick(t); got != "" {
		t.Errorf("without a file\n%s", got)
	}
	if err := os.Rename(other, path); err != nil {
		t.Fatal(err)
	}
	if got := w.tick(t); got != "[3]  3  30  -3\n" {
		t.Errorf("of another file\n%s", got)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	for {
		select {
		case w.ticks <- time.Time{}:
			continue
		case code := <-w.ended:
			if text := w.err.take(); code != exitFailed || !strings.Contains(text, "log.b2nd") {
				t.Errorf("ended with %d, %s", code, text)
			}
		}
		return
	}
}

func TestWatchMistakes(t *testing.T) {
	for args, want := range map[string]string{
		"watch": "no PATH given", "watch -n -1 a": "-n is -1", "watch -every 1us a": "-every is 1µs",
		"watch -":          "does not grow",
		"watch -every 5 a": "invalid value",
	} {
		if r := cairnWith(t.Context(), nil,
			strings.Fields(args)...); r.code != exitUsage || !strings.Contains(r.stderr, want) {
			t.Errorf("cairn %s: exit %d, %q, want %q", args, r.code, r.stderr, want)
		}
	}
	wantFailure(t, cairnWith(t.Context(), nil, "watch", filepath.Join(t.TempDir(), "none.b2nd")), "none.b2nd")
}

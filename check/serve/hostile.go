package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cairn-go/cairn/check/harness"
	"github.com/cairn-go/cairn/serve"
)

// The budget of the server, and what requests may cost beside it.
const (
	budgetMemory = 64 << 20
	budgetAnswer = 4 << 20
	budgetTime   = 3 * time.Second

	// what the heap may have besides: arrays that are open, caches, and garbage that is not yet
	// collected
	heapBeside = 96 << 20
	// bytes of an answer besides items: as text they take more
	answerMost = 8 * budgetAnswer
)

const (
	canary  = "a canary that sings outside" // in files that must not be served
	senders = 8
)

type hostileCounts struct {
	Seed        uint64
	Requests    int64
	Sockets     int64 // of these, requests by a connection of their own, slow or malformed
	Status      map[int]int64
	HeapMost    int64 // bytes
	AnswerMost  int64
	SecondsMost float64
	Failed      int
	Failures    harness.Failures[string]
	mu          sync.Mutex
}

func (c *hostileCounts) fail(format string, args ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.Failed++
	c.Failures.Add(fmt.Sprintf(format, args...))
}

// complaints is a log that counts panics of the handler.
type complaints struct{ c *hostileCounts }

func (l complaints) Write(b []byte) (int, error) {
	if bytes.Contains(b, []byte("msg=panic")) {
		l.c.fail("%s", b)
	}
	return len(b), nil
}

// sendHostile sends requests to a server of a few arrays.
func sendHostile(seed uint64, n int) error {
	c := &hostileCounts{Seed: seed, Status: map[int]int64{}}
	dir, err := os.MkdirTemp("", "cairn-hostile-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := makeTargets(dir); err != nil {
		return err
	}

	h, err := serve.New([]serve.Root{{Name: "data", Path: filepath.Join(dir, "data")}}, &serve.Options{
		Memory: budgetMemory, MaxBytes: budgetAnswer, Timeout: budgetTime, PerClient: 1 << 20, Open: 16,
		Log: slog.New(slog.NewTextHandler(complaints{c}, &slog.HandlerOptions{Level: slog.LevelError}))})
	if err != nil {
		return err
	}

	done := make(chan struct{})
	var watch sync.WaitGroup
	watch.Go(func() {
		// Note the largest heap.
		var m runtime.MemStats
		for {
			runtime.ReadMemStats(&m)
			c.HeapMost = max(c.HeapMost, int64(m.HeapAlloc))
			select {
			case <-done:
				return
			case <-time.After(20 * time.Millisecond):
			}
		}
	})

	before := runtime.NumGoroutine()
	c.send(h, n)
	err = c.sockets(h, n)
	close(done)
	watch.Wait()
	if err := errors.Join(err, h.Close()); err != nil {
		return err
	}

	for wait := 0; runtime.NumGoroutine() > before && wait < 100; wait++ {
		time.Sleep(50 * time.Millisecond)
	}
	if now := runtime.NumGoroutine(); now > before {
		c.fail("%d goroutines are left", now-before)
	}

	// Compare what requests cost with the budget.
	if most := int64(budgetMemory + heapBeside); c.HeapMost > most {
		c.fail("the heap had %d bytes, the most is %d", c.HeapMost, most)
	}
	if c.AnswerMost > answerMost {
		c.fail("an answer had %d bytes, the most is %d", c.AnswerMost, answerMost)
	}
	if most := (budgetTime + 2*time.Second).Seconds(); c.SecondsMost > most {
		c.fail("an answer took %.1f s, the most is %.1f s", c.SecondsMost, most)
	}
	if c.Status[http.StatusOK] == 0 || c.Status[http.StatusPartialContent] == 0 || c.Status[http.StatusNotFound] == 0 {
		c.fail("the requests do not reach what they should: %v", c.Status)
	}

	return harness.Report("serve", c, c.Failed)
}

// send gives the handler n requests, several at a time.
func (c *hostileCounts) send(h http.Handler, n int) {
	var next atomic.Int64
	var all sync.WaitGroup
	for range senders {
		all.Go(func() {
			for k := next.Add(1); k <= int64(n); k = next.Add(1) {
				c.one(h, k)
			}
		})
	}
	all.Wait()
}

// one gives the handler request k of the seed.
func (c *hostileCounts) one(h http.Handler, k int64) {
	a := attacker{drawer{rand.New(rand.NewPCG(c.Seed, uint64(k)))}}
	text := a.request()

	// Read a request as the server of the standard library does.
	r, err := http.ReadRequest(bufio.NewReader(strings.NewReader(text)))
	if err == nil && r.Method != http.MethodConnect && !strings.HasPrefix(r.URL.Path, "/") && r.URL.Path != "*" {
		r.URL.Path = "/" + r.URL.Path
	}
	if err != nil {
		return // the server of the standard library answers that by itself
	}

	r.RemoteAddr = "192.0.2.1:1000"
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	if a.IntN(50) == 0 {
		time.AfterFunc(time.Duration(a.IntN(5))*time.Millisecond, cancel) // it hangs up
	}

	w := &answer{header: http.Header{}}
	begun := time.Now()
	func() {
		defer func() {
			if v := recover(); v != nil && v != http.ErrAbortHandler {
				c.fail("request %d: panic %v: %.300q", k, v, text)
			}
		}()
		h.ServeHTTP(w, r.WithContext(ctx))
	}()
	took := time.Since(begun).Seconds()

	c.mu.Lock()
	c.Requests++
	c.Status[w.code()]++
	c.AnswerMost = max(c.AnswerMost, w.bytes)
	c.SecondsMost = max(c.SecondsMost, took)
	c.mu.Unlock()

	if w.sings {
		c.fail("request %d: a file outside of the root was served: %.300q", k, text)
	}
	if w.code() == http.StatusInternalServerError {
		c.fail("request %d: status 500: %.300q: %.200q", k, text, w.begin)
	}
}

// An answer is a response writer that looks for the canary, and keeps only the beginning.
type answer struct {
	header http.Header
	status int
	bytes  int64
	begin  []byte
	last   []byte
	sings  bool
}

func (a *answer) Header() http.Header { return a.header }
func (a *answer) code() int           { return max(a.status, 200) }

func (a *answer) WriteHeader(status int) {
	if a.status == 0 && status >= 200 {
		a.status = status
	}
}

func (a *answer) Write(b []byte) (int, error) {
	a.WriteHeader(http.StatusOK)
	a.bytes += int64(len(b))
	if len(a.begin) < 500 {
		a.begin = append(a.begin, b[:min(len(b), 500)]...)
	}
	both := append(a.last, b[:min(len(b), len(canary))]...)
	a.sings = a.sings || bytes.Contains(b, []byte(canary)) || bytes.Contains(both, []byte(canary))
	a.last = append(a.last[:0], b[max(0, len(b)-len(canary)):]...)
	return len(b), nil
}

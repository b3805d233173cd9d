package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// A result is what clients saw.
type result struct {
	took   time.Duration
	times  []time.Duration // of requests that were answered, sorted
	bytes  int64
	failed int
	err    error // of one that failed
}

func (r result) rate() float64      { return float64(len(r.times)) / r.took.Seconds() }
func (r result) megabytes() float64 { return float64(r.bytes) / 1e6 / r.took.Seconds() }

// add adds what clients saw later.
func (r *result) add(more result) {
	r.took += more.took
	r.times = append(r.times, more.times...)
	slices.Sort(r.times)
	r.bytes += more.bytes
	r.failed += more.failed
	r.err = errors.Join(r.err, more.err)
}

// quantile returns the time within which a part of the requests was answered, in milliseconds.
func (r result) quantile(part float64) float64 {
	if len(r.times) == 0 {
		return 0
	}
	return float64(r.times[int(part*float64(len(r.times)-1))].Microseconds()) / 1000
}

// load has clients send one request after the other, for a while.
func load(ctx context.Context, base string, url maker, clients int, d time.Duration) result {
	ctx, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	transport := &http.Transport{MaxIdleConnsPerHost: clients, DisableCompression: true}
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport}

	var mu sync.Mutex
	var all sync.WaitGroup
	var sum result
	begun := time.Now()

	for k := range clients {
		all.Go(func() {
			r := rand.New(rand.NewPCG(7, uint64(k)))
			one := result{}
			buf := make([]byte, 64<<10)
			for ctx.Err() == nil {
				sent := time.Now()
				n, err := ask(ctx, client, base+url(r), buf)
				switch {
				case ctx.Err() != nil:
				case err != nil:
					one.failed++
					one.err = err
				default:
					one.times = append(one.times, time.Since(sent))
					one.bytes += n
				}
			}

			mu.Lock()
			defer mu.Unlock()
			sum.times = append(sum.times, one.times...)
			sum.bytes += one.bytes
			sum.failed += one.failed
			sum.err = errors.Join(sum.err, one.err)
		})
	}

	all.Wait()
	sum.took = time.Since(begun)
	slices.Sort(sum.times)
	return sum
}

// ask sends a request, with a range if one is behind a hash, and reads the answer.
func ask(ctx context.Context, client *http.Client, url string, buf []byte) (int64, error) {
	url, ranges, _ := strings.Cut(url, "#")
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return 0, err
	}
	if ranges != "" {
		r.Header.Set("Range", ranges)
	}
	answer, err := client.Do(r)
	if err != nil {
		return 0, err
	}
	n, err := io.CopyBuffer(onlyWriter{}, answer.Body, buf)
	err = errors.Join(err, answer.Body.Close())
	if err == nil && answer.StatusCode/100 != 2 {
		err = fmt.Errorf("%s: %s", url, answer.Status)
	}
	return n, err
}

// onlyWriter discards bytes, by way of the buffer.
type onlyWriter struct{}

func (onlyWriter) Write(b []byte) (int, error) { return len(b), nil }

// warm has the server read everything once.
func warm(base string, url maker) {
	_ = load(context.Background(), base, url, 2, time.Second)
}

// disturb opens 32 connections that read a kilobyte a second, and 32 that read nothing, from the
// address of the clients. stop ends them.
func disturb(ctx context.Context, base string) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var all sync.WaitGroup
	for k := range 64 {
		all.Go(func() {
			for ctx.Err() == nil {
				slowly(ctx, strings.TrimPrefix(base, "http://"), k%2 == 0)
			}
		})
	}
	return func() { cancel(); all.Wait() }
}

// slowly asks for all of a file, and reads little of it or nothing, until the server has enough.
func slowly(ctx context.Context, address string, reads bool) {
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", address)
	if err != nil {
		time.Sleep(100 * time.Millisecond)
		return
	}
	defer conn.Close()
	_, _ = io.WriteString(conn, "GET /api/v1/slice/data/a.b2nd?format=raw&s=0:8 HTTP/1.1\r\nHost: localhost\r\n\r\n")
	buf := make([]byte, 256)
	for ctx.Err() == nil {
		time.Sleep(250 * time.Millisecond)
		if reads {
			if _, err := conn.Read(buf); err != nil {
				return
			}
		}
	}
}

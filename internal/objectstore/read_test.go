package objectstore

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/storage"
)

func TestPieces(t *testing.T) {
	s := defaults
	s.gap, s.piece = 10, 100
	b := newBucket(newFake(), "", s)
	type span struct{ from, to int64 }
	for _, c := range []struct{ ranges, pieces []span }{
		{nil, nil},
		{[]span{{5, 5}}, nil},
		{[]span{{0, 5}, {15, 20}}, []span{{0, 20}}},
		{[]span{{0, 5}, {16, 20}}, []span{{0, 5}, {16, 20}}},
		{[]span{{16, 20}, {0, 5}, {5, 6}}, []span{{0, 20}}},
		{[]span{{0, 90}, {91, 101}}, []span{{0, 90}, {91, 101}}},
		{[]span{{0, 250}}, []span{{0, 100}, {100, 200}, {200, 250}}},
		{[]span{{0, 50}, {10, 20}, {40, 60}}, []span{{0, 60}}},
	} {
		var ranges []storage.Range
		for _, r := range c.ranges {
			ranges = append(ranges, storage.Range{Off: r.from, Data: make([]byte, r.to-r.from)})
		}
		pieces, err := b.pieces(ranges)
		if err != nil || len(pieces) != len(c.pieces) {
			t.Errorf("%v: %d pieces, %v, want %v", c.ranges, len(pieces), err, c.pieces)
			continue
		}
		for i, p := range pieces {
			stop := int64(0)
			for _, r := range p {
				stop = max(stop, end(r))
			}
			if (span{p[0].Off, stop}) != c.pieces[i] {
				t.Errorf("%v: piece %d is [%d, %d), want %v", c.ranges, i, p[0].Off, stop, c.pieces[i])
			}
		}
	}
	for _, off := range []int64{-1, math.MaxInt64} {
		if _, err := b.pieces([]storage.Range{{Off: off}}); !errors.Is(err, cairn.ErrBounds) {
			t.Errorf("offset %d: %v", off, err)
		}
	}
}

// slow answers after a while, or when the context is done, and counts what is in flight.
type slow struct {
	*fake
	wait time.Duration

	count     sync.Mutex
	now, most int
}

func (s *slow) Get(ctx context.Context, key, version string, off, length int64) (io.ReadCloser, storage.Object, error) {
	s.count.Lock()
	s.now++
	s.most = max(s.most, s.now)
	s.count.Unlock()
	defer func() {
		s.count.Lock()
		s.now--
		s.count.Unlock()
	}()
	select {
	case <-time.After(s.wait):
		return s.fake.Get(ctx, key, version, off, length)
	case <-ctx.Done():
		return nil, storage.Object{}, Unanswered(ctx.Err())
	}
}

func TestRequestsInFlight(t *testing.T) { synctest.Test(t, countInFlight) }

func countInFlight(t *testing.T) {
	client := &slow{fake: newFake(), wait: 2 * time.Millisecond}
	s := fast()
	s.requests, s.gap, s.piece = 5, 0, 100
	b := newBucket(client, "", s)
	data := bytes.Repeat([]byte("0123456789"), 1000)
	at, err := b.Put(t.Context(), "a", data, storage.When{})
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			got := make([]byte, len(data))
			if err := b.ReadRanges(t.Context(), at, []storage.Range{{Data: got}}); err != nil || !bytes.Equal(got, data) {
				t.Errorf("other bytes, %v", err)
			}
		})
	}
	wg.Wait()
	if client.most != 5 {
		t.Errorf("%d requests were in flight", client.most)
	}
	// A failure ends the other requests.
	client.wait = time.Hour
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	begin := time.Now()
	err = b.ReadRanges(ctx, at, []storage.Range{{Data: make([]byte, len(data))}})
	if took := time.Since(begin); !errors.Is(err, context.DeadlineExceeded) || took > 20*time.Millisecond || client.now != 0 {
		t.Errorf("%v after %v, %d requests left", err, took, client.now)
	}
}

// TestPatience checks that an attempt without an answer is given up, and repeated.
func TestPatience(t *testing.T) { synctest.Test(t, tryPatience) }

func tryPatience(t *testing.T) {
	client := &slow{fake: newFake(), wait: time.Hour}
	s := fast()
	s.patience, s.attempts = 5*time.Millisecond, 3
	b := newBucket(client, "", s)
	begin := time.Now()
	err := b.ReadRanges(t.Context(), storage.Object{Name: "a"}, []storage.Range{{Data: make([]byte, 1)}})
	if took := time.Since(begin); err == nil || errors.Is(err, context.DeadlineExceeded) || took > 20*time.Millisecond {
		t.Errorf("%v after %v", err, took)
	}
}

type closeCounter int

func (c *closeCounter) Close() error {
	*c++
	return nil
}

func TestSizeOf(t *testing.T) {
	var closed closeCounter
	for answered, want := range map[string]int64{"bytes 5-14/100": 100, "bytes 5-14/15": 15, "bytes 5-9/10": 10} {
		if size, err := SizeOf(answered, 5, 10, &closed); size != want || err != nil {
			t.Errorf("%q: %d, %v", answered, size, err)
		}
	}
	for _, answered := range []string{"", "bytes 0-99/100", "bytes 5-15/100", "bytes 6-15/100", "bytes -5-14/3",
		"items 5-14/100", "bytes 5-14/*", "bytes 5-9/100", "bytes 5-4/5", "bytes 5-9223372036854775808/100"} {
		closed = 0
		if size, err := SizeOf(answered, 5, 10, &closed); err == nil || closed != 1 {
			t.Errorf("%q: %d, %v, closed %d times", answered, size, err, closed)
		}
	}
}

// FuzzSizeOf passes arbitrary answers for arbitrary ranges. Those that are accepted are about the
// range, as far as the object has it; the body of others is closed.
func FuzzSizeOf(f *testing.F) {
	f.Add("bytes 5-14/100", int64(5), int64(10))
	f.Add("bytes 0-0/1", int64(0), int64(1))
	f.Add("bytes */100", int64(200), int64(10))
	f.Add("bytes 5-9223372036854775807/9223372036854775807", int64(5), int64(1<<62))
	f.Fuzz(func(t *testing.T, answered string, off, length int64) {
		off, length = off&(1<<61-1), max(1, length&(1<<61-1))
		var closed closeCounter
		size, err := SizeOf(answered, off, length, &closed)
		switch {
		case err == nil && (closed != 0 || size <= off || !strings.HasPrefix(answered, "bytes")):
			t.Errorf("%q for %d bytes from %d: %d bytes, closed %d times", answered, length, off, size, closed)
		case err != nil && (closed != 1 || size != 0 || len(err.Error()) > 1000):
			t.Errorf("%q for %d bytes from %d: %d, %v, closed %d times", answered, length, off, size, err, closed)
		}
	})
}

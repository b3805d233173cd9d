package httprange

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/storage"
)

var schedules = flag.Int("schedules", 300, "schedules of faults in TestFaults")

// A faulty server answers with faults that follow from a seed.
type faulty struct {
	mu      sync.Mutex
	rnd     *rand.Rand
	rate    int // of a hundred answers that are faults
	data    []byte
	version int
	changes int // after this many answers the file changes; never if negative
	faults  map[string]int
}

// next decides about one answer.
func (f *faulty) next() (fault int, data []byte, tag string, cut int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.changes == 0 {
		f.data = bytes.Clone(f.data)
		for i := range f.data {
			f.data[i] ^= 0xff
		}
		f.version++
	}
	f.changes--
	fault = -1
	if f.rnd.IntN(100) < f.rate {
		fault = f.rnd.IntN(9)
		f.faults[strconv.Itoa(fault)]++
	}
	return fault, f.data, fmt.Sprintf(`"%d"`, f.version), f.rnd.IntN(2000)
}

func (f *faulty) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	fault, data, tag, cut := f.next()
	w.Header().Set("ETag", tag)
	switch fault {
	case 0, 1, 2, 3:
		w.Header().Set("Retry-After", "0")
		w.WriteHeader([]int{429, 500, 502, 503}[fault])
		return
	case 4: // drops the request
		panic(http.ErrAbortHandler)
	case 5: // truncates the body
		http.ServeContent(&cutter{w, cut}, r, "", time.Time{}, bytes.NewReader(data))
		panic(http.ErrAbortHandler)
	case 6: // resets the connection
		if conn, _, err := http.NewResponseController(w).Hijack(); err == nil {
			_ = conn.(*net.TCPConn).SetLinger(0)
			_ = conn.Close()
		}
		return
	case 7: // delays
		time.Sleep(time.Duration(cut) * time.Microsecond)
	case 8: // ignores conditions
		r.Header.Del("If-Match")
	}
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(data))
}

// A cutter drops what follows its first bytes.
type cutter struct {
	http.ResponseWriter
	left int
}

func (c *cutter) Write(p []byte) (int, error) {
	n := min(len(p), c.left)
	c.left -= n
	_, err := c.ResponseWriter.Write(p[:n])
	return len(p), err
}

// TestFaults reads by several goroutines from servers with faults. No byte may be wrong, no read
// may mix two versions, and a read fails only if the file changed or the attempts were used up.
// More schedules: go test ./storage/httprange -run Faults -schedules 20000
func TestFaults(t *testing.T) {
	data := pattern(300_000)
	f := &faulty{faults: map[string]int{}}
	s := serve(t, nil)
	s.instead(func(w http.ResponseWriter, r *http.Request) bool { f.ServeHTTP(w, r); return true })
	count := map[string]int{}
	for seed := range *schedules {
		rnd := rand.New(rand.NewPCG(uint64(seed), 18))
		changes := -1
		if rnd.IntN(3) == 0 {
			changes = rnd.IntN(12)
		}
		f.mu.Lock()
		f.rnd, f.rate, f.data, f.version, f.changes = rnd, rnd.IntN(50), data, seed*2, changes
		f.mu.Unlock()
		runSchedule(t, s.URL, f, uint64(seed), data, count)
		s.since()
	}
	t.Logf("%v, faults %v", count, f.faults)
	if count["read"] == 0 || *schedules >= 300 && (count["conflict"] == 0 || len(f.faults) < 9) {
		t.Errorf("the schedules show nothing: %v, faults %v", count, f.faults)
	}
}

// runSchedule opens the file and reads it. What is read is the version that was opened.
func runSchedule(t *testing.T, link string, server *faulty, seed uint64, data []byte, count map[string]int) {
	c, at, err := newClient(link, &Options{Attempts: 8, Transport: http.DefaultTransport})
	check(t, err)
	c.wait = 100 * time.Microsecond
	src := &source{client: c, url: at}
	file, err := storage.OpenRanges(t.Context(), src, &storage.RangeOptions{Keep: -1, Gap: -1})
	if err != nil {
		count[outcome(t, server, err)]++
		return
	}
	want := bytes.Clone(data)
	if src.id.tag != fmt.Sprintf(`"%d"`, seed*2) {
		for i := range want {
			want[i] ^= 0xff
		}
	}
	var mu sync.Mutex
	var wg sync.WaitGroup
	for worker := range uint64(3) {
		wg.Go(func() {
			rnd := rand.New(rand.NewPCG(seed, worker))
			for range 3 {
				off := rnd.IntN(len(data))
				got := make([]byte, rnd.IntN(min(5000, len(data)-off))+1)
				_, err := file.ReadAt(got, int64(off))
				mu.Lock()
				switch {
				case err != nil:
					count[outcome(t, server, err)]++
				case !bytes.Equal(got, want[off:][:len(got)]):
					t.Errorf("schedule %d: wrong bytes at %d", seed, off)
				default:
					count["read"]++
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	check(t, file.Close())
}

// outcome names an error, which must have a reason.
func outcome(t *testing.T, server *faulty, err error) string {
	server.mu.Lock()
	changed, rate := server.changes < 0 && server.version%2 == 1, server.rate
	server.mu.Unlock()
	switch {
	case errors.Is(err, cairn.ErrConflict):
		if !changed {
			t.Errorf("a conflict without a change: %v", err)
		}
		return "conflict"
	case rate == 0:
		t.Errorf("without a fault: %v", err)
	}
	return "exhausted"
}

package httprange

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/compute"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/npy"
	"github.com/cairn-go/cairn/storage"
)

// A farServer is a transport to a server that takes 20 ms for each request. In a bubble of package
// synctest nothing else takes any time, so the time that a read takes is its rounds of requests.
type farServer struct {
	file   []byte
	silent bool // there is no answer

	mu             sync.Mutex
	requests, open int
	most           int // in flight at the same time
}

const roundTrip = 20 * time.Millisecond

func (s *farServer) RoundTrip(r *http.Request) (*http.Response, error) {
	s.count(1)
	defer s.count(-1)
	if s.silent {
		<-r.Context().Done()
		return nil, r.Context().Err()
	}
	time.Sleep(roundTrip)
	w := httptest.NewRecorder()
	w.Header().Set("ETag", `"1"`)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(s.file))
	return w.Result(), nil
}

func (s *farServer) count(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open += n
	s.requests += max(0, n)
	s.most = max(s.most, s.open)
}

// since returns the number of requests since the last call.
func (s *farServer) since() (requests int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	requests, s.requests = s.requests, 0
	return requests
}

// TestRounds bounds the rounds of requests of reads of a far array whose planes need a block of
// each of 128 chunks.
func TestRounds(t *testing.T) { synctest.Test(t, countRounds) }

func countRounds(t *testing.T) {
	shape := ndarray.Shape{16, 128, 4096}
	made, err := ndarray.FromFunc(t.Context(), "", shape, func(i []int64) int32 {
		return int32(i[0]*1000 + i[1]*10 + i[2])
	}, &ndarray.Options{ChunkShape: ndarray.Shape{16, 1, 4096}, BlockShape: ndarray.Shape{1, 1, 4096},
		Level: chunk.Stored})
	check(t, err)
	file, err := made.Bytes()
	check(t, err)
	s := &farServer{file: file}
	files, err := NewFS(t.Context(), &Options{RangeOptions: storage.RangeOptions{Requests: 64}, Transport: s})
	check(t, err)
	defer files.Close()
	began := time.Now()
	a, err := ndarray.OpenAs[int32]("http://far/a", &ndarray.OpenOptions{FS: files, Verify: frame.VerifyWhole})
	check(t, err)
	defer a.Close()
	within := func(what string, most int) {
		t.Helper()
		rounds, requests := int(time.Since(began)/roundTrip), s.since()
		began = time.Now()
		t.Logf("%-28s %3d requests in %d rounds", what, requests, rounds)
		if rounds > most || rounds == 0 {
			t.Errorf("%s takes %d rounds, want 1 to %d", what, rounds, most)
		}
	}
	within("opening", 2)
	for _, c := range []struct {
		what string
		step int64
		most int
	}{{"a point", 9, 2}, {"another in the same chunk", 12, 1}} {
		item, err := a.At(c.step, 70, 40)
		check(t, err)
		if want := int32(c.step*1000 + 740); item != want {
			t.Errorf("%s: item %d, want %d", c.what, item, want)
		}
		within(c.what, c.most)
	}
	plane, err := a.Read(t.Context(), ndarray.Index(5), ndarray.All, ndarray.All)
	check(t, err)
	for i, item := range plane {
		if want := int32(5000 + i/4096*10 + i%4096); item != want {
			t.Fatalf("item %d of the plane: %d, want %d", i, item, want)
		}
	}
	within("a plane of 128 chunks", 6)
	got, err := compute.Sum[int64](t.Context(), a, nil)
	check(t, err)
	want, err := compute.Sum[int64](t.Context(), made, nil)
	check(t, err)
	sum, err := got.At()
	check(t, err)
	if local, err := want.At(); err != nil || sum != local {
		t.Errorf("sum %d, want %d, %v", sum, local, err)
	}
	within("a sum", 3)
	for range a.Values(t.Context()) {
		continue
	}
	within("a loop over items", 4)
	_, err = ndarray.Copy(t.Context(), a, nil)
	check(t, err)
	within("a copy", 4)
	check(t, npy.Write(t.Context(), io.Discard, a, nil))
	within("an .npy file", 4)
	if s.most > 64 {
		t.Errorf("%d requests were in flight", s.most)
	}
}

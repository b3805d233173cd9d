package main

import (
	"bytes"
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"net/http"
	"net/http/httptest"
	"sync"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/storage"
)

// A server has buckets in memory. Unlike those in directories, a process that is stopped in the
// middle of a request holds no lock that others wait for.
type server struct {
	*httptest.Server
	mu      sync.Mutex
	buckets map[string]storage.Bucket
}

func newServer() *server {
	s := &server{buckets: map[string]storage.Bucket{}}
	s.Server = httptest.NewServer(s)
	return s
}

// bucket returns the bucket of a name.
func (s *server) bucket(name string) storage.Bucket {
	s.mu.Lock()
	defer s.mu.Unlock()
	b := s.buckets[name]
	if b == nil {
		fsys := storage.NewMemory()
		_ = fsys.Mkdir("b") // which cannot fail in memory
		b = storage.FSBucket(fsys, "b")
		s.buckets[name] = b
	}
	return b
}

func (s *server) remove(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.buckets, name)
}

// A request is a call of a method of a bucket.
type request struct {
	Bucket, Method, Name string
	Data                 []byte
	When                 storage.When
	At                   storage.Object
	Offsets, Lengths     []int64
}

// An answer is what the method returns.
type answer struct {
	Data          []byte
	All           []storage.Object
	Conflict, Not bool
	Failure       string
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var q request
	if err := gob.NewDecoder(r.Body).Decode(&q); err != nil {
		return // the process was killed
	}
	a, err := call(context.Background(), s.bucket(q.Bucket), &q)
	if err != nil {
		a.Failure, a.Conflict, a.Not = err.Error(), errors.Is(err, cairn.ErrConflict), errors.Is(err, fs.ErrNotExist)
	}
	_ = gob.NewEncoder(w).Encode(a) // the process may have been killed
}

// call does a request.
func call(ctx context.Context, b storage.Bucket, q *request) (a answer, err error) {
	var at storage.Object
	switch q.Method {
	case "put":
		at, err = b.Put(ctx, q.Name, q.Data, q.When)
	case "stat":
		at, err = b.Stat(ctx, q.Name)
	case "start":
		var n int
		a.Data = make([]byte, q.Lengths[0])
		n, at, err = b.ReadStart(ctx, q.Name, a.Data)
		a.Data = a.Data[:n]
	case "ranges":
		for i, off := range q.Offsets {
			part := make([]byte, q.Lengths[i])
			if err == nil {
				err = b.ReadRanges(ctx, q.At, []storage.Range{{Off: off, Data: part}})
			}
			a.Data = append(a.Data, part...)
		}
	case "delete":
		err = b.Delete(ctx, q.Name)
	case "list":
		for at, failed := range b.List(ctx, q.Name) {
			if err = failed; err == nil {
				a.All = append(a.All, at)
			}
		}
		return a, err
	default:
		err = fmt.Errorf("unknown method %q", q.Method)
	}
	a.All = []storage.Object{at}
	return a, err
}

// A web is a bucket of a server.
type web struct{ address, bucket string }

func (b web) do(ctx context.Context, q request) (a answer, err error) {
	q.Bucket = b.bucket
	var body bytes.Buffer
	if err := gob.NewEncoder(&body).Encode(q); err != nil {
		return a, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, b.address, &body)
	if err != nil {
		return a, err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return a, fmt.Errorf("%w: %w", err, errStorage)
	}
	defer resp.Body.Close()
	if err := gob.NewDecoder(resp.Body).Decode(&a); err != nil {
		return a, fmt.Errorf("%w: %w", err, errStorage)
	}
	switch {
	case a.Conflict:
		err = fmt.Errorf("%s: %w", a.Failure, cairn.ErrConflict)
	case a.Not:
		err = fmt.Errorf("%s: %w", a.Failure, fs.ErrNotExist)
	case a.Failure != "":
		err = errors.New(a.Failure)
	}
	return a, err
}

// one returns the object of an answer.
func (a *answer) one(err error) (storage.Object, error) {
	if len(a.All) == 0 {
		return storage.Object{}, err
	}
	return a.All[0], err
}

func (b web) Put(ctx context.Context, name string, data []byte, when storage.When) (storage.Object, error) {
	a, err := b.do(ctx, request{Method: "put", Name: name, Data: data, When: when})
	return a.one(err)
}

func (b web) Stat(ctx context.Context, name string) (storage.Object, error) {
	a, err := b.do(ctx, request{Method: "stat", Name: name})
	return a.one(err)
}

func (b web) ReadStart(ctx context.Context, name string, p []byte) (int, storage.Object, error) {
	a, err := b.do(ctx, request{Method: "start", Name: name, Lengths: []int64{int64(len(p))}})
	at, err := a.one(err)
	return copy(p, a.Data), at, err
}

func (b web) ReadRanges(ctx context.Context, at storage.Object, ranges []storage.Range) error {
	q := request{Method: "ranges", At: at}
	for _, r := range ranges {
		q.Offsets, q.Lengths = append(q.Offsets, r.Off), append(q.Lengths, int64(len(r.Data)))
	}
	a, err := b.do(ctx, q)
	for _, r := range ranges {
		n := copy(r.Data, a.Data)
		a.Data = a.Data[n:]
	}
	return err
}

func (b web) Delete(ctx context.Context, name string) error {
	_, err := b.do(ctx, request{Method: "delete", Name: name})
	return err
}

func (b web) List(ctx context.Context, prefix string) iter.Seq2[storage.Object, error] {
	return func(yield func(storage.Object, error) bool) {
		a, err := b.do(ctx, request{Method: "list", Name: prefix})
		for _, at := range a.All {
			if !yield(at, nil) {
				return
			}
		}
		if err != nil {
			yield(storage.Object{}, err)
		}
	}
}

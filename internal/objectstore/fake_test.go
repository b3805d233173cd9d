package objectstore

import (
	"bytes"
	"context"
	"errors"
	"io"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cairn-go/cairn/storage"
)

// A fake is an object store in memory that fails while it has a source of faults.
type fake struct {
	mu       sync.Mutex
	objects  map[string]fakeObject
	versions int
	requests int
	uploads  map[*fakeUpload]bool // open ones

	rnd  *rand.Rand // of faults
	late sync.WaitGroup
}

type fakeObject struct {
	data    []byte
	version string
	mark    string
}

func newFake() *fake { return &fake{objects: map[string]fakeObject{}, uploads: map[*fakeUpload]bool{}} }

func (f *fake) disturb(seed uint64) { f.locked(func() { f.rnd = rand.New(rand.NewPCG(seed, 5)) }) }

func (f *fake) calm() {
	f.locked(func() { f.rnd = nil })
	f.late.Wait()
}

func (f *fake) locked(do func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	do()
}

// read carries out a request that changes nothing, or fails instead.
func (f *fake) read(ctx context.Context, do func() error) error {
	if err := ctx.Err(); err != nil {
		return Unanswered(err)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.requests++
	if f.rnd != nil && f.rnd.IntN(3) == 0 {
		return Answered(503, "", "", "")
	}
	return do()
}

// request carries out do, which is called with the lock, or fails before, after or during it.
func (f *fake) request(ctx context.Context, do func() error) error {
	if err := ctx.Err(); err != nil {
		return Unanswered(err)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.requests++
	if f.rnd == nil || f.rnd.IntN(3) > 0 {
		return do()
	}
	switch f.rnd.IntN(4) {
	case 0:
		return Unanswered(errors.New("connection reset"))
	case 1:
		return Answered(429, "SlowDown", "", "0")
	case 2:
		_ = do()
		return Answered(503, "", "", "")
	}
	wait := time.Duration(f.rnd.IntN(3000)) * time.Microsecond
	f.late.Go(func() {
		time.Sleep(wait)
		f.locked(func() { _ = do() })
	})
	return Unanswered(io.ErrUnexpectedEOF)
}

func (f *fake) Get(
	ctx context.Context, key, version string, off, length int64,
) (body io.ReadCloser, at storage.Object, err error) {
	err = f.read(ctx, func() error {
		o, ok := f.objects[key]
		switch {
		case !ok:
			return Answered(404, "NoSuchKey", "", "")
		case version != "" && version != o.version:
			return Answered(412, "PreconditionFailed", "", "")
		case off >= int64(len(o.data)):
			return Answered(416, "InvalidRange", "", "")
		}
		at = storage.Object{Name: key, Size: int64(len(o.data)), Version: o.version}
		data := o.data[off:min(off+length, at.Size)]
		if f.rnd != nil && f.rnd.IntN(10) == 0 {
			data = data[:len(data)/2]
		}
		body = io.NopCloser(bytes.NewReader(data))
		return nil
	})
	return body, at, err
}

func (f *fake) Head(ctx context.Context, key string) (at storage.Object, mark string, err error) {
	err = f.read(ctx, func() error {
		o, ok := f.objects[key]
		if !ok {
			return Answered(404, "", "", "")
		}
		at, mark = storage.Object{Name: key, Size: int64(len(o.data)), Version: o.version}, o.mark
		return nil
	})
	return at, mark, err
}

// put is called with the lock.
func (f *fake) put(key string, data []byte, when storage.When, mark string) (string, error) {
	o, ok := f.objects[key]
	switch {
	case when.Version != "" && !ok:
		return "", Answered(404, "NoSuchKey", "", "")
	case when.Absent && ok || when.Version != "" && when.Version != o.version:
		return "", Answered(412, "PreconditionFailed", "", "")
	}
	f.versions++
	version := strconv.Itoa(f.versions)
	f.objects[key] = fakeObject{bytes.Clone(data), version, mark}
	return version, nil
}

func (f *fake) Put(ctx context.Context, key string, data []byte, when storage.When, mark string) (string, error) {
	var done string
	err := f.request(ctx, func() (err error) {
		done, err = f.put(key, data, when, mark)
		return err
	})
	if err != nil {
		return "", err
	}
	return done, nil
}

func (f *fake) List(ctx context.Context, prefix, token string) (page []storage.Object, next string, err error) {
	err = f.read(ctx, func() error {
		page, next = nil, ""
		for _, key := range slices.Sorted(maps.Keys(f.objects)) {
			if strings.HasPrefix(key, prefix) && key > token {
				if len(page) == 3 {
					next = page[2].Name
					break
				}
				o := f.objects[key]
				page = append(page, storage.Object{Name: key, Size: int64(len(o.data)), Version: o.version,
					Modified: time.Now()})
			}
		}
		return nil
	})
	return page, next, err
}

func (f *fake) Delete(ctx context.Context, key string) error {
	return f.request(ctx, func() error {
		delete(f.objects, key)
		return nil
	})
}

func (f *fake) Upload(ctx context.Context, key, mark string) (up Upload, err error) {
	u := &fakeUpload{f: f, key: key, mark: mark, parts: map[int][]byte{}}
	err = f.request(ctx, func() error {
		f.uploads[u] = true
		return nil
	})
	return u, err
}

type fakeUpload struct {
	f         *fake
	key, mark string
	parts     map[int][]byte
}

func (u *fakeUpload) Part(ctx context.Context, i int, data []byte) error {
	return u.f.request(ctx, func() error {
		if !u.f.uploads[u] {
			return &Failure{Kind: Lost}
		}
		u.parts[i] = bytes.Clone(data)
		return nil
	})
}

func (u *fakeUpload) Complete(ctx context.Context, parts int, when storage.When) (version string, err error) {
	var done string
	err = u.f.request(ctx, func() (err error) {
		if !u.f.uploads[u] {
			return &Failure{Kind: Lost}
		}
		var data []byte
		for i := range parts {
			data = append(data, u.parts[i]...)
		}
		if done, err = u.f.put(u.key, data, when, u.mark); err == nil {
			delete(u.f.uploads, u)
		}
		return err
	})
	if err != nil {
		return "", err
	}
	return done, nil
}

func (u *fakeUpload) Abort(ctx context.Context) error {
	return u.f.request(ctx, func() error {
		delete(u.f.uploads, u)
		return nil
	})
}

// fast are settings with which tests with faults take little time, and small objects have parts.
func fast() settings {
	s := defaults
	s.pause, s.attempts, s.part = 200*time.Microsecond, 8, 1000
	return s
}

func objectOf(t *testing.T, f *fake, key string) fakeObject {
	t.Helper()
	f.mu.Lock()
	defer f.mu.Unlock()
	o, ok := f.objects[key]
	if !ok {
		t.Fatalf("there is no %s", key)
	}
	return o
}

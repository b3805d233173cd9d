package scale

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io/fs"
	"iter"
	"path"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/storage"
)

// What Amazon says about S3 ("Best practices design patterns: optimizing Amazon S3 performance"):
// 3,500 PUT, COPY, POST or DELETE and 5,500 GET or HEAD requests per second and partitioned
// prefix at least; latencies of roughly 100 to 200 ms; one connection for each 85 to 90 MB/s.
const (
	writesPerSecond = 3500
	readsPerSecond  = 5500
	latency         = 100 * time.Millisecond
	bytesPerSecond  = 85e6
	page            = 1000 // objects of a list
)

// A bucket is an object store in virtual time. A request takes the latency and the time of its
// bytes, and waits if its partition has more requests than it may have per second: a folder, and
// for chunks also the first digits of their numbers. Bytes of chunks count scale times. Chunks of
// arrays are not kept unless keep is set: they all seem to be there, with the size of the last one.
type bucket struct {
	scale  float64
	keep   bool
	digits int

	mu      sync.Mutex
	objects map[string]*stored
	names   names
	version int64
	last    *stored // chunk
	folders map[string]*folder
	count   counts
}

type stored struct {
	content []byte
	bytes   float64 // in the store that is simulated
	version int64
}

// A folder is a partition with the times at which it may take the next write and the next read.
type folder struct{ write, read time.Time }

// counts are requests and bytes, and how long requests waited for their folder.
type counts struct {
	puts, gets, lists, deletes int64
	in, out                    float64
	longest, waited            time.Duration
}

func (c counts) minus(d counts) counts {
	c.puts = c.puts - d.puts
	c.gets = c.gets - d.gets
	c.lists = c.lists - d.lists
	c.deletes = c.deletes - d.deletes
	c.in = c.in - d.in
	c.out = c.out - d.out
	c.waited = c.waited - d.waited
	return c
}

func newBucket(scale float64, keep bool) *bucket {
	return &bucket{scale: scale, keep: keep, objects: map[string]*stored{}, folders: map[string]*folder{}}
}

// wait passes the time of a request. It is called with b.mu held, and unlocks it.
func (b *bucket) wait(name string, write bool, bytes float64) {
	dir := path.Dir(name)
	if strings.HasSuffix(name, ".chunk") {
		dir = name[:len(dir)+1+b.digits]
	}
	f := b.folders[dir]
	if f == nil {
		f = &folder{}
		b.folders[dir] = f
	}

	next := &f.read
	each := time.Second / readsPerSecond
	if write {
		next = &f.write
		each = time.Second / writesPerSecond
	}

	now := time.Now()
	begin := *next
	if begin.Before(now) {
		begin = now
	}
	*next = begin.Add(each)
	queued := begin.Sub(now)
	b.count.waited += queued
	b.count.longest = max(b.count.longest, queued)

	b.mu.Unlock()
	time.Sleep(queued + latency + time.Duration(bytes/bytesPerSecond*float64(time.Second)))
}

// bytesOf returns how many bytes an object stands for.
func (b *bucket) bytesOf(name string, data []byte) float64 {
	payload := 0
	switch {
	case strings.HasSuffix(name, ".chunk"):
		payload = len(data)
	case bytes.HasPrefix(data, []byte("\xc3\xb2job")):
		payload = int(binary.LittleEndian.Uint64(data[40:]))
	}
	return float64(len(data)-payload) + b.scale*float64(payload)
}

func (b *bucket) Put(_ context.Context, name string, data []byte, when storage.When) (storage.Object, error) {
	size := b.bytesOf(name, data)
	b.mu.Lock()
	b.count.puts++
	b.count.in += size
	b.wait(name, true, size)
	b.mu.Lock()
	defer b.mu.Unlock()

	old := b.objects[name]
	switch {
	case when.Absent && old != nil, when.Version != "" && (old == nil || when.Version != old.at(name).Version):
		return storage.Object{}, fmt.Errorf("put %s: %w", name, cairn.ErrConflict)
	}

	b.version++
	o := &stored{bytes: size, version: b.version}
	if !b.keep && strings.HasSuffix(name, ".chunk") {
		o.content = data
		b.last = o
	} else {
		o.content = bytes.Clone(data)
		b.objects[name] = o
		b.names.insert(name)
	}
	return o.at(name), nil
}

func (o *stored) at(name string) storage.Object {
	return storage.Object{Name: name, Size: int64(len(o.content)), Version: strconv.FormatInt(o.version, 36)}
}

// get finds an object, and passes the time of reading most bytes of it.
func (b *bucket) get(name string, most float64) (*stored, error) {
	b.mu.Lock()
	b.count.gets++
	o := b.objects[name]
	if o == nil && strings.HasSuffix(name, ".chunk") {
		o = b.last
	}
	n := 0.0
	if o != nil {
		n = min(most, o.bytes)
	}
	b.count.out += n
	b.wait(name, false, n)
	if o == nil {
		return nil, &fs.PathError{Op: "get", Path: name, Err: fs.ErrNotExist}
	}
	return o, nil
}

func (b *bucket) Stat(_ context.Context, name string) (storage.Object, error) {
	o, err := b.get(name, 0)
	if err != nil {
		return storage.Object{}, err
	}
	return o.at(name), nil
}

func (b *bucket) ReadStart(_ context.Context, name string, p []byte) (int, storage.Object, error) {
	o, err := b.get(name, float64(len(p))*b.scale)
	if err != nil {
		return 0, storage.Object{}, err
	}
	return copy(p, o.content), o.at(name), nil
}

func (b *bucket) ReadRanges(_ context.Context, at storage.Object, ranges []storage.Range) error {
	for _, r := range ranges {
		o, err := b.get(at.Name, float64(len(r.Data))*b.scale)
		if err != nil {
			return err
		}
		if copy(r.Data, o.content[min(r.Off, int64(len(o.content))):]) < len(r.Data) {
			return fmt.Errorf("read %s: %w", at.Name, cairn.ErrBounds)
		}
	}
	return nil
}

func (b *bucket) List(_ context.Context, prefix string) iter.Seq2[storage.Object, error] {
	return func(yield func(storage.Object, error) bool) {
		for last := ""; ; {
			b.mu.Lock()
			b.count.lists++
			b.wait(prefix+"x", false, 0)
			b.mu.Lock()
			found := b.names.after(prefix, last, page)
			at := make([]storage.Object, len(found))
			for i, name := range found {
				at[i] = b.objects[name].at(name)
			}
			b.mu.Unlock()

			for _, o := range at {
				if !yield(o, nil) {
					return
				}
			}

			if len(found) < page {
				return
			}
			last = found[page-1]
		}
	}
}

func (b *bucket) Delete(_ context.Context, name string) error {
	b.mu.Lock()
	b.count.deletes++
	b.wait(name, true, 0)
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.objects, name)
	b.names.remove(name)
	return nil
}

func (b *bucket) snapshot() counts {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.count
}

// number returns how many objects have a suffix, and size how many bytes they have.
func (b *bucket) number(suffix string) (n int64) {
	for range b.with(suffix) {
		n++
	}
	return n
}

func (b *bucket) size(suffix string) (n int64) {
	for o := range b.with(suffix) {
		n += int64(len(o.content))
	}
	return n
}

func (b *bucket) with(suffix string) iter.Seq[*stored] {
	return func(yield func(*stored) bool) {
		for name, o := range b.objects {
			if strings.HasSuffix(name, suffix) && !yield(o) {
				return
			}
		}
	}
}

// Package scale runs jobs with the code of package job in virtual time: up to 10,000 workers and
// 10,000,000 chunks, in an object store that counts requests and has the latency and the limits of
// S3. The workers are goroutines of one process.
//
//	go test ./scale -v -timeout 2h -args -chunks 10000000 -workers 10000
//
// bench/results/2026-11.md has the results.
package scale

import (
	"context"
	"encoding/binary"
	"flag"
	"fmt"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cairn-go/cairn/job"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/storage"
)

var (
	chunks  = flag.Int64("chunks", 1000, "chunks of the output")
	workers = flag.Int("workers", 10, "worker processes")
	perTask = flag.Int64("together", 10, "chunks of a task")
	speed   = flag.Float64("speed", 200e6, "bytes of the output that a worker makes per second")
	claims  = flag.Bool("claims", false, "workers claim tasks, instead of running shares")
	digits  = flag.Int("digits", 0, "digits of the number of a chunk by which the store has split the folder of the output")
	inline  = flag.Bool("inline", false, "chunks are put into parts, and the seal moves them")
)

const (
	chunkItems = 4             // in the simulation
	chunkBytes = 1 << 50 / 1e7 // that a chunk stands for; half of them are stored
	encoded    = 48            // bytes of a chunk in the simulation
)

func TestScale(t *testing.T) {
	begin := time.Now()
	synctest.Test(t, simulate)
	t.Logf("real time %.0f s", time.Since(begin).Seconds())
}

func simulate(t *testing.T) {
	ctx := t.Context()
	src := &source{items: *chunks * chunkItems, task: *perTask * chunkItems, rate: time.Duration(chunkBytes / chunkItems / *speed * 1e9)}
	open := func(context.Context, string) (ndarray.Source, func() error, error) {
		return src, func() error { return nil }, nil
	}
	begin, real := time.Now(), cpu()
	p, err := job.New(ctx, open, &job.Options{Inputs: []job.Input{{Path: "in"}}, Output: "out",
		ChunkShape: ndarray.Shape{chunkItems}, BlockShape: ndarray.Shape{chunkItems}, TaskBytes: *perTask * chunkItems * 4,
		Workers: 1, Memory: 16 << 30})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("plan: %d tasks, %d bytes of JSON, made in %.2f s of processor time; says a process needs %d MiB",
		p.Tasks, len(p.JSON()), cpu()-real, p.Memory>>20)
	b := newBucket(chunkBytes/2/encoded, *chunks <= 100_000)
	b.digits = *digits
	j, err := job.Create(ctx, b, "job", p)
	if err != nil {
		t.Fatal(err)
	}
	before, real := b.snapshot(), cpu()
	begin = time.Now()
	fsys := storage.BucketFS(ctx, b)
	if *inline {
		fsys = storage.BucketFS(ctx, newBucket(b.scale, b.keep))
	}
	if err := work(ctx, b, fsys, open, p.Tasks); err != nil {
		t.Fatal(err)
	}
	took := time.Since(begin)
	ideal := chunkBytes * float64(*chunks) / *speed / float64(*workers)
	report(t, "work", took, b.snapshot().minus(before), cpu()-real)
	t.Logf("work: %.3f of the time that the items alone take", took.Seconds()/ideal)

	before, real = b.snapshot(), cpu()
	begin = time.Now()
	peak := watch()
	j.Place(fsys)
	if err := j.Seal(ctx, nil); err != nil {
		t.Fatal(err)
	}
	report(t, "seal", time.Since(begin), b.snapshot().minus(before), cpu()-real)
	t.Logf("seal: heap grows by %d MiB; root %d bytes, index %d bytes in %d objects", peak()>>20,
		b.size(".root"), b.size(".index"), b.number(".index"))
	if b.keep {
		compare(t, fsys)
	}
}

// work runs all tasks.
func work(ctx context.Context, b storage.Bucket, fsys storage.FS, open job.Opener, tasks int64) error {
	errs := make(chan error)
	for w := range *workers {
		go func() {
			j, err := job.Open(ctx, b, "job", nil)
			if err == nil {
				if !*inline {
					j.Place(fsys)
				}
				o := &job.WorkOptions{}
				if !*claims {
					o.Tasks = []int64{}
					for task := int64(w); task < tasks; task += int64(*workers) {
						o.Tasks = append(o.Tasks, task)
					}
				}
				err = j.Work(ctx, open, o)
			}
			errs <- err
		}()
	}
	var first error
	for range *workers {
		if err := <-errs; err != nil && first == nil {
			first = err
		}
	}
	return first
}

func report(t *testing.T, what string, took time.Duration, c counts, cpu float64) {
	dollars := float64(c.puts+c.lists)*putPrice + float64(c.gets)*getPrice
	t.Logf("%s: %s virtual, %.1f s of processor time; %d puts, %d gets, %d lists, %d deletes, $%.2f; %.3g bytes in, %.3g out; "+
		"requests waited %.1f s at most, %.3f s on average", what, took.Round(time.Second), cpu, c.puts, c.gets, c.lists,
		c.deletes, dollars, c.in, c.out, c.longest.Seconds(), c.waited.Seconds()/float64(c.puts+c.gets+c.lists+c.deletes))
}

// Prices of a request to S3 Standard in US East: $0.005 for 1,000 puts or lists, $0.0004 for 1,000
// gets.
const putPrice, getPrice = 0.005 / 1000, 0.0004 / 1000

// watch looks at the heap each second of virtual time. The function that it returns stops it, and
// returns by how much the heap was larger than at the beginning at most.
func watch() (peak func() int64) {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	base, most := m.HeapInuse, m.HeapInuse
	stop, stopped := make(chan bool), make(chan bool)
	go func() {
		defer close(stopped)
		for {
			runtime.ReadMemStats(&m)
			most = max(most, m.HeapInuse)
			select {
			case <-stop:
				return
			case <-time.After(time.Second):
			}
		}
	}()
	return func() int64 {
		close(stop)
		<-stopped
		return int64(most - base)
	}
}

// compare compares the output with the source.
func compare(t *testing.T, fsys storage.FS) {
	a, err := ndarray.Open("out", &ndarray.OpenOptions{FS: fsys})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	n := min(a.Shape()[0], 1<<16)
	raw := make([]byte, 4*n)
	if err := a.ReadBytes(t.Context(), raw, []int64{a.Shape()[0] - n}, a.Shape()); err != nil {
		t.Fatal(err)
	}
	for i := range n {
		if got, want := binary.LittleEndian.Uint32(raw[4*i:]), uint32(a.Shape()[0]-n+i); got != want {
			t.Fatal(fmt.Sprintf("item %d is %d, want %d", a.Shape()[0]-n+i, got, want))
		}
	}
}

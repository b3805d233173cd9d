package decoded

import (
	"context"
	"errors"
	"math/rand/v2"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// put keeps size bytes of a key, whose first byte is mark, and reports whether it had to.
func put(t *testing.T, o *Owner, k Key, size int64, mark byte) bool {
	t.Helper()
	e, lead := o.Begin(k, size)
	if e == nil {
		t.Fatalf("no room for %d bytes beside %d", size, o.cache.Used())
	}
	defer e.Release()
	if lead {
		e.Data[0] = mark
		e.Done(t.Context(), nil)
		return true
	}
	if ok, _, err := e.Wait(t.Context()); !ok || err != nil || e.Data[0] != mark {
		t.Fatalf("%v, %d instead of %d, %v", ok, e.Data[0], mark, err)
	}
	return false
}

// check compares what is counted with what is there.
func (c *Cache) check(t *testing.T) {
	t.Helper()
	bytes := int64(0)
	for i := range c.shards {
		s := &c.shards[i]
		n := 0
		for e := s.hand; n < s.count; n++ {
			if !e.ringed || s.index[e.at] != e || e.next.before != e || e.refs != 0 {
				t.Error("the ring of a shard is broken")
			}
			bytes += e.size()
			e = e.next
		}
		if len(s.index) != n {
			t.Errorf("%d entries in the index, %d in the ring", len(s.index), n)
		}
	}
	if used := c.Used(); used != bytes || used > c.Budget() {
		t.Errorf("%d bytes in entries, %d counted, the budget is %d", bytes, used, c.Budget())
	}
}

// TestWhatIsUsedOftenStays reads more than fits, and keeps reading a little else.
func TestWhatIsUsedOftenStays(t *testing.T) {
	for _, size := range []int64{64, 1 << 10} {
		c := New(64 << 10)
		o := c.Owner()
		made := 0
		for i := range int64(4000) {
			put(t, o, Key{Chunk: 1000 + i}, size, 0)
			if put(t, o, Key{Chunk: i % 8, Block: 1}, size, byte(i%8)) {
				made++
			}
		}
		if made > 100 {
			t.Errorf("entries of %d bytes that are used all the time were made %d times", size, made)
		}
		if c.Used() < c.Budget()*3/4 {
			t.Errorf("%d bytes are kept of %d", c.Used(), c.Budget())
		}
		c.check(t)
	}
}

// TestMemoryOfWhatLeavesIsUsedAgainAlloc fills the cache many times over.
func TestMemoryOfWhatLeavesIsUsedAgainAlloc(t *testing.T) {
	c := New(1 << 20)
	o := c.Owner()
	next := int64(0)
	fill := func() {
		put(t, o, Key{Chunk: next}, 16<<10, 1)
		next++
	}
	for range 100 {
		fill()
	}
	if n := testing.AllocsPerRun(1000, fill); n > 0 {
		t.Errorf("%v allocations an entry", n)
	}
}

func TestOwnersTakeTheirEntriesAway(t *testing.T) {
	c := New(1 << 20)
	a, b := c.Owner(), c.Owner()
	for i := range int64(100) {
		put(t, a, Key{Chunk: i}, 1000, 1)
		put(t, b, Key{Chunk: i}, 1000, 2)
	}
	held := a.Get(Key{Chunk: 7})
	leads, lead := a.Begin(Key{Chunk: 1000}, 1000)
	if held == nil || !lead {
		t.Fatal(held, lead)
	}

	a.Drop()
	if held.Data[0] != 1 || a.Get(Key{Chunk: 7}) != nil || c.Used() != 102*(1000+EntryBytes) {
		t.Errorf("%d bytes are kept", c.Used())
	}
	leads.Done(t.Context(), nil)
	leads.Release()
	held.Release()
	for i := range int64(100) {
		if put(t, b, Key{Chunk: i}, 1000, 2) {
			t.Fatalf("entry %d of another owner is gone", i)
		}
	}
	c.check(t)
	if b.Drop(); c.Used() != 0 {
		t.Errorf("%d bytes without an owner", c.Used())
	}

	var none *Owner
	if e, lead := none.Begin(Key{}, 1); e != nil || lead || none.Get(Key{}) != nil || none.Worth(Key{}, 1, 0) {
		t.Error("nobody has an entry")
	}
	none.Drop()
}

func TestTheBudget(t *testing.T) {
	before := debug.SetMemoryLimit(320 << 20)
	c := New(automatic)
	if c.Budget() != 20<<20 {
		t.Errorf("%d bytes of a memory limit of 320 MiB", c.Budget())
	}
	debug.SetMemoryLimit(before)
	if c = New(automatic); before > 1<<40 && c.Budget() != defaultBudget {
		t.Errorf("%d bytes", c.Budget())
	}

	o := c.Owner()
	for i := range int64(60) {
		put(t, o, Key{Chunk: i}, 1<<20, 0)
	}
	if was := c.SetBudget(10 << 20); was != defaultBudget || c.Used() > 10<<20 {
		t.Errorf("%d bytes after the budget was lowered from %d to 10 MiB", c.Used(), was)
	}
	if e, _ := o.Begin(Key{Chunk: 99}, 6<<20); e != nil {
		t.Error("an entry has more than half of the budget")
	}
	if c.SetBudget(-3); c.Budget() != 0 || c.Used() != 0 {
		t.Errorf("%d bytes without a budget", c.Used())
	}
	c.check(t)

	// What is in use cannot leave.
	c.SetBudget(100 + 2*EntryBytes)
	first, _ := o.Begin(Key{Chunk: 1}, 50)
	second, _ := o.Begin(Key{Chunk: 2}, 50)
	if third, _ := o.Begin(Key{Chunk: 3}, 50); third != nil || first == nil || second == nil {
		t.Error("three entries, with room for two")
	}
}

var errDamaged = errors.New("damaged")

// TestManyWaitForOne has the first reader succeed, fail, or end with its context.
func TestManyWaitForOne(t *testing.T) {
	for _, how := range []string{"made", "damaged", "cancelled"} {
		c := New(1 << 20)
		o := c.Owner()
		ctx, cancel := context.WithCancel(t.Context())
		e, lead := o.Begin(Key{}, 1000)
		if !lead {
			t.Fatal("nobody leads")
		}

		const readers = 16
		var led, alone, found atomic.Int32
		var all sync.WaitGroup
		for range readers {
			all.Go(func() {
				for {
					e, lead := o.Begin(Key{}, 1000)
					if lead {
						led.Add(1)
						e.Data[0] = 7
						time.Sleep(time.Millisecond)
						e.Done(t.Context(), nil)
						e.Release()
						return
					}
					ok, again, err := e.Wait(t.Context())
					switch {
					case err != nil || ok && e.Data[0] != 7:
						t.Error(e.Data[0], err)
					case ok:
						found.Add(1)
					case !again:
						alone.Add(1)
					}
					if e.Release(); !again {
						return
					}
				}
			})
		}
		for e.readers() < readers+1 {
			time.Sleep(time.Millisecond)
		}
		impatient, stop := context.WithCancel(t.Context())
		stop()
		waits, _ := o.Begin(Key{}, 1000)
		if ok, again, err := waits.Wait(impatient); ok || again || !errors.Is(err, context.Canceled) {
			t.Error(ok, again, err)
		}
		waits.Release()

		e.Data[0] = 7
		switch how {
		case "made":
			e.Done(ctx, nil)
		case "damaged":
			e.Done(ctx, errDamaged)
		case "cancelled":
			cancel()
			e.Done(ctx, ctx.Err())
		}
		e.Release()
		all.Wait()
		cancel()

		got := [3]int32{led.Load(), alone.Load(), found.Load()}
		want := map[string][3]int32{"made": {0, 0, readers}, "damaged": {0, readers, 0}, "cancelled": {1, 0, readers - 1}}[how]
		if got != want {
			t.Errorf("%s: leads, alone and found %v, want %v", how, got, want)
		}
		c.check(t)
	}
}

func (e *Entry) readers() int {
	e.home.mu.Lock()
	defer e.home.mu.Unlock()
	return e.refs
}

// TestTheDoor counts work for parts of chunks: near in time, and far apart.
func TestTheDoor(t *testing.T) {
	const chunk = 1 << 20
	o := New(16 << 20).Owner()
	for i := range 8 {
		if got := o.Worth(Key{Chunk: 1}, chunk/16, chunk/4); got != (i >= 4) {
			t.Errorf("read %d of a part: %v", i, got)
		}
	}
	if o.Worth(Key{Chunk: 2}, chunk/4, chunk/4) || !o.Worth(Key{Chunk: 2}, chunk/4, chunk/4) {
		t.Error("the second read of a quarter decides")
	}

	kept := 0
	random := rand.New(rand.NewPCG(1, 2))
	for range 10000 { // of 16 GiB
		if o.Worth(Key{Chunk: random.Int64N(16 << 10)}, chunk/16, chunk/4) {
			kept++
		}
	}
	if kept > 20 {
		t.Errorf("%d of 10000 reads far from each other keep a chunk", kept)
	}
}

// TestManyAtTheSameTime has goroutines read, fail, give up and drop owners. All find their bytes.
func TestManyAtTheSameTime(t *testing.T) {
	c := New(256 << 10)
	var all sync.WaitGroup
	shared := c.Owner()
	for g := range uint64(8) {
		all.Go(func() {
			random := rand.New(rand.NewPCG(5, g))
			own := c.Owner()
			for range 4000 {
				o, mark := shared, byte(99)
				if random.IntN(3) == 0 {
					o, mark = own, byte(g)
				}
				k := Key{Chunk: random.Int64N(300), Block: int32(random.IntN(3))}
				size := int64(500 + 1000*k.Block)
				ctx, cancel := context.WithCancel(t.Context())
				if random.IntN(10) == 0 {
					cancel()
				}

				e, lead := o.Begin(k, size)
				switch {
				case e == nil:
				case lead:
					for i := range e.Data {
						e.Data[i] = mark + byte(k.Chunk)
					}
					var err error
					if random.IntN(10) == 0 {
						err = errDamaged
					}
					e.Done(ctx, err)
					e.Release()
				default:
					ok, _, _ := e.Wait(ctx)
					if i := random.IntN(len(e.Data)); ok && (e.Data[i] != mark+byte(k.Chunk) || int64(len(e.Data)) != size) {
						t.Error("bytes of another key")
					}
					e.Release()
				}
				cancel()
				if random.IntN(500) == 0 {
					own.Drop()
					own = c.Owner()
				}
			}
			own.Drop()
		})
	}
	all.Wait()
	c.check(t)
	if shared.Drop(); c.Used() != 0 {
		t.Errorf("%d bytes without an owner", c.Used())
	}
}

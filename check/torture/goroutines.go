package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/ndarray"
)

// Goroutines share one open array: some read, one writes and commits, one compacts. It is for the race detector, most of all.

const goroutineReaders = 16

// A scene is what they share. The array holds one number everywhere, which grows.
type scene struct {
	a     ndarray.Array[int32]
	end   time.Time
	stop  atomic.Bool
	looks atomic.Int64
	last  int32 // number that was committed last
	packs int
}

// stressGoroutines runs them for a while, and then opens the array again.
func (c *crasher) stressGoroutines(seconds float64) error {
	name, began := c.path("goroutines.b2nd"), time.Now()
	a, err := ndarray.Create[int32](name, ndarray.Shape{90, 70}, &ndarray.Options{
		ChunkShape: ndarray.Shape{16, 16}, BlockShape: ndarray.Shape{5, 16}, Codec: codecs.LZ4, Workers: 2, Durability: lax,
		WriteBehind: 16 << 10,
	})
	if err != nil {
		return err
	}
	if err := a.Commit(context.Background()); err != nil {
		return errors.Join(err, a.Abort())
	}
	s := &scene{a: a, end: began.Add(time.Duration(seconds * float64(time.Second)))}
	err = errors.Join(s.run(), a.Close())
	if err == nil {
		err = s.check(name)
	}
	out := writers{Points: int(s.last), Looks: int(s.looks.Load()), Compactions: s.packs, Seconds: time.Since(began).Seconds()}
	if err != nil {
		out.Lost++
		c.report.fail(failure{Section: "stress", Text: err.Error()}, nil)
	}
	c.report.Lost += out.Lost
	c.report.Writers[fmt.Sprintf("%d goroutines read, one writes, one compacts", goroutineReaders)] = out
	return nil
}

func (s *scene) run() error {
	errs := make([]error, goroutineReaders+2)
	var group sync.WaitGroup
	start := func(i int, work func() error) {
		group.Go(func() {
			if errs[i] = work(); errs[i] != nil {
				s.stop.Store(true)
			}
		})
	}
	start(0, s.write)
	start(1, s.compact)
	for i := range goroutineReaders {
		start(2+i, func() error { return s.read(i) })
	}
	group.Wait()
	return errors.Join(errs...)
}

func (s *scene) over() bool { return s.stop.Load() || time.Now().After(s.end) }

// write stages one number after the other, by turns in one way of three, and drops or commits what it staged.
func (s *scene) write() error {
	ctx := context.Background()
	for n := int32(1); !s.over(); n++ {
		var err error
		switch n % 3 {
		case 0:
			err = s.a.Fill(ctx, n)
		case 1:
			err = s.a.Write(ctx, slices.Repeat([]int32{n}, 90*70))
		case 2:
			err = s.a.Atomically(ctx, func() error {
				return errors.Join(s.a.Fill(ctx, n), s.a.Untyped.Frame().SetVL("number", fmt.Append(nil, n)))
			})
		}
		if err == nil && n%3 != 2 {
			err = s.a.Commit(ctx)
		}
		if err != nil {
			return fmt.Errorf("number %d: %w", n, err)
		}
		s.last = n
	}
	return nil
}

func (s *scene) compact() error {
	for ; !s.over(); s.packs++ {
		// Inside of Atomically there is no compacting.
		if _, err := s.a.Compact(context.Background()); err != nil && !errors.Is(err, cairn.ErrConflict) {
			return fmt.Errorf("compaction %d: %w", s.packs, err)
		}
		time.Sleep(time.Millisecond)
	}
	return nil
}

// read wants every box to hold one number, and none to be older than one it saw.
func (s *scene) read(i int) error {
	ctx, last := context.Background(), int32(0)
	top, left := int64(i), int64(2*i)
	dst := make([]int32, (90-top)*(70-left))
	for ; !s.over(); s.looks.Add(1) {
		if err := s.a.ReadInto(ctx, dst, ndarray.From(top), ndarray.From(left)); err != nil {
			return fmt.Errorf("reader %d: %w", i, err)
		}
		if lo, hi := slices.Min(dst), slices.Max(dst); lo != hi || lo < last {
			return fmt.Errorf("reader %d finds the numbers %d to %d after %d: %w", i, lo, hi, last, errDiffers)
		}
		last = dst[0]
	}
	return nil
}

// check wants the file to hold the last number.
func (s *scene) check(name string) error {
	ctx := context.Background()
	a, err := ndarray.OpenAs[int32](name, nil)
	if err != nil {
		return err
	}
	items, err := a.Read(ctx)
	if lo, hi := slices.Min(items), slices.Max(items); err == nil && (lo != hi || lo != s.last) {
		err = fmt.Errorf("the file holds the numbers %d to %d after %d: %w", lo, hi, s.last, errDiffers)
	}
	_, verified := ndarray.Verify(ctx, name, nil)
	return errors.Join(err, verified, a.Close())
}

package ndarray

import (
	"fmt"
	"slices"
	"sync"
	"testing"
)

func TestReadersSeeWholeWrites(t *testing.T) {
	for i, buffer := range []int64{1, 40_000, 1 << 20} {
		t.Run(fmt.Sprint(buffer), func(t *testing.T) { readersSeeWholeWrites(t, buffer, int64(i)*9000) })
	}
}

// readersSeeWholeWrites runs eight readers and one writer: every read must see one state between
// two writes.
func readersSeeWholeWrites(t *testing.T, buffer, cache int64) {
	a, err := New[int32](Shape{60, 50}, &Options{ChunkShape: Shape{16, 16}, BlockShape: Shape{5, 16},
		Workers: 2, WriteBehind: buffer})
	if err != nil {
		t.Fatal(err)
	}
	keepIn(a.Untyped, cache)
	const states = 12
	ctx := t.Context()
	done := make(chan struct{})
	errs := make(chan error, 9)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			dst := make([]int32, 40*44)
			last := int32(0)
			for running := true; running; {
				select {
				case <-done:
					running = false
				default:
				}
				if err := a.ReadInto(ctx, dst, Range(10, 50), Range(3, 47)); err != nil {
					errs <- err
					return
				}
				if lo, hi := slices.Min(dst), slices.Max(dst); lo != hi || lo < last {
					errs <- fmt.Errorf("a read after state %d holds states %d to %d", last, lo, hi)
					return
				}
				last = dst[0]
			}
		})
	}
	for state := range int32(states) {
		var err error
		switch {
		case state%3 == 0:
			err = a.Write(ctx, slices.Repeat([]int32{state}, 58*50), Range(1, 59))
		case state%3 == 1:
			err = a.Write(ctx, slices.Repeat([]int32{state}, 40*44), Range(10, 50), Range(3, 47))
		default:
			err = a.Fill(ctx, state)
		}
		if err == nil && state%4 == 3 {
			err = a.Commit(ctx)
		}
		if err != nil {
			errs <- err
			break
		}
	}
	close(done)
	wg.Wait()
	close(errs)
	for err := range errs {
		t.Error(err)
	}
}

package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/cairn-go/cairn/bench/data"
	"github.com/cairn-go/cairn/internal/advise"
	"github.com/cairn-go/cairn/ndarray"
)

// prediction prints a line for each goal: the ratio and the speeds of the whole array, divided by
// those that its sample had. An array of up to 24 MiB is its own sample.
func prediction(ctx context.Context, kind data.Kind, size int, goals string, access bool, seed uint64) error {
	set := kind.Make(size)
	src, err := stored(ctx, set)
	if err != nil {
		return err
	}
	defer src.Close()
	for _, goal := range strings.Split(goals, ",") {
		o := options(set, goal, access, seed)
		o.Time = 10 * time.Second
		a, err := advise.Run(ctx, src, o)
		if err != nil {
			return err
		}
		first := a.Trials[0]
		ratio, write, read, err := measureWhole(ctx, set, first.Setting)
		if err != nil {
			return err
		}
		reading := fmt.Sprintf("%5.2f", read/first.ReadRate())
		if access { // which were parts
			reading = "    -"
		}
		fmt.Printf("%-15s %-9s                   %5.2f  %5.2f  %s  %s\n", kind.Name, goal, ratio/first.Ratio(),
			write/first.WriteRate(), reading, text(first.Setting))
	}
	return nil
}

// measureWhole stores an array in memory and reads it, three times, and returns the ratio and the
// highest speeds.
func measureWhole(ctx context.Context, set *data.Set, s advise.Setting) (ratio, write, read float64, err error) {
	origin := make([]int64, len(set.Shape))
	back := make([]byte, len(set.Bytes))
	for range 3 {
		u, err := ndarray.NewUntyped(set.DType, set.Shape, &ndarray.Options{Codec: s.Codec, Level: s.Level,
			Filters: s.Filters, ChunkShape: s.Chunks, BlockShape: s.Blocks})
		if err != nil {
			return 0, 0, 0, err
		}
		begin := time.Now()
		if err = u.WriteBox(ctx, set.Bytes, origin, set.Shape); err == nil {
			err = u.Commit(ctx)
		}
		write = max(write, float64(len(back))/time.Since(begin).Seconds())
		ratio = float64(len(back)) / float64(u.Info().CBytes)
		begin = time.Now()
		if err == nil {
			err = u.ReadBytes(ctx, back, origin, set.Shape)
		}
		read = max(read, float64(len(back))/time.Since(begin).Seconds())
		if err != nil {
			u.Close()
			return 0, 0, 0, err
		}
		if err := u.Close(); err != nil {
			return 0, 0, 0, err
		}
	}
	return ratio, write, read, nil
}

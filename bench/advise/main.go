// Command advise compares the first choice of cairn advise with the best of all combinations, on
// each kind of data.
//
//	go run ./advise -size 33554432 -for size,read,write,balanced
//
// With -whole, it compares the whole array, stored as the first choice says, with the prediction.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"os"
	"os/signal"
	"slices"
	"strings"
	"time"

	"github.com/cairn-go/cairn/bench/data"
	"github.com/cairn-go/cairn/internal/advise"
	"github.com/cairn-go/cairn/ndarray"
)

func main() {
	size := flag.Int("size", 32<<20, "`BYTES` of each array")
	goals := flag.String("for", "size,read,write,balanced", "`GOALS`")
	only := flag.String("kinds", "", "comma-separated `KINDS` of data; all by default")
	access := flag.Bool("access", false, "time reads along the first dimension instead of everything")
	seed := flag.Uint64("seed", 1, "`N`")
	whole := flag.Bool("whole", false, "store each array as the first choice says, and compare with what was predicted")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	compare := contest
	if *whole {
		fmt.Println("kind            goal      real ÷ predicted: ratio  write  read   first choice")
		compare = prediction
	} else {
		fmt.Println("kind            goal      behind   share of time   first choice / best")
	}
	for _, kind := range data.Kinds() {
		if *only != "" && !slices.Contains(strings.Split(*only, ","), kind.Name) {
			continue
		}
		if err := compare(ctx, kind, *size, *goals, *access, *seed); err != nil {
			log.Fatalf("%s: %v", kind.Name, err)
		}
	}
}

// contest prints a line for each goal.
func contest(ctx context.Context, kind data.Kind, size int, goals string, access bool, seed uint64) error {
	set := kind.Make(size)
	src, err := stored(ctx, set)
	if err != nil {
		return err
	}
	defer src.Close()
	for _, goal := range strings.Split(goals, ",") {
		o := options(set, goal, access, seed)
		begin := time.Now()
		quick, err := advise.Run(ctx, src, o)
		if err != nil {
			return err
		}
		quickly := time.Since(begin)
		o.Exhaustive = true
		begin = time.Now()
		all, err := advise.Run(ctx, src, o)
		if err != nil {
			return err
		}
		slowly := time.Since(begin)
		// Chance favours the best of many: measure those that lead again, with the first choice.
		first := quick.Trials[0].Setting
		o.Only = []advise.Setting{first}
		for _, t := range all.Trials[:min(10, len(all.Trials))] {
			o.Only = append(o.Only, t.Setting)
		}
		if all, err = advise.Run(ctx, src, o); err != nil {
			return err
		}
		best := all.Trials[0]
		i := slices.IndexFunc(all.Trials, func(t advise.Trial) bool {
			return fmt.Sprint(t.Setting) == fmt.Sprint(first)
		})
		if i < 0 {
			return fmt.Errorf("the first choice is none of all combinations: %v", first)
		}
		fmt.Printf("%-15s %-9s %5.1f %%   %5.1f %% of %3.0f s   %s / %s\n", kind.Name, goal,
			100*all.Trials[i].Behind(&best), 100*quickly.Seconds()/slowly.Seconds(), slowly.Seconds(),
			text(first), text(best.Setting))
	}
	return nil
}

// stored returns the array of a data set.
func stored(ctx context.Context, set *data.Set) (*ndarray.Untyped, error) {
	u, err := ndarray.NewUntyped(set.DType, set.Shape, nil)
	if err == nil {
		err = u.WriteBox(ctx, set.Bytes, make([]int64, len(set.Shape)), set.Shape)
	}
	return u, err
}

func options(set *data.Set, goal string, access bool, seed uint64) *advise.Options {
	o := &advise.Options{Goal: advise.Goal(goal), Time: time.Hour, Seed: seed}
	if access {
		o.Access = ndarray.Shape{set.Shape[0]}
		for range set.Shape[1:] {
			o.Access = append(o.Access, 1)
		}
	}
	return o
}

func text(s advise.Setting) string {
	return fmt.Sprintf("%v-%d %v %v", s.Codec, s.Level, s.Filters, s.Blocks)
}

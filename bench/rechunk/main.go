// Command rechunk measures copies of a large array to other chunks. It generates an array, copies
// it in separate processes with a memory limit, and compares the peak memory of each with the
// estimate of its plan.
//
//	nice -n 19 go run ./rechunk -dir /tmp -gib 8 -limit 256MiB
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/ndarray"
)

// Shapes of the array and its copies: chunks that are layers of some rows become columns. The first
// dimension of the array follows from the size.
const (
	rows, columns = 512, 512
	layers        = 4
)

func main() {
	dir := flag.String("dir", os.TempDir(), "where the array and its copies go; they are removed")
	gib := flag.Float64("gib", 8, "size of the array")
	limit := flag.String("limit", "256MiB", "GOMEMLIMIT of the copies")
	child := flag.String("copy", "", "copy the given file by METHOD, and print time and memory")
	flag.Parse()
	ctx := context.Background()
	var err error
	if *child != "" {
		err = copyOne(ctx, *child, flag.Arg(0), flag.Arg(1))
	} else {
		err = run(ctx, *dir, int64(*gib*(1<<30)), *limit)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "rechunk:", err)
		os.Exit(1)
	}
}

// run makes the array, and copies it with every method.
func run(ctx context.Context, dir string, size int64, limit string) error {
	dir, err := os.MkdirTemp(dir, "rechunk-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	in := filepath.Join(dir, "in.b2nd")
	begin := time.Now()
	if err := produce(ctx, in, size); err != nil {
		return err
	}
	info, err := os.Stat(in)
	if err != nil {
		return err
	}
	fmt.Printf("array of %.1f GiB in %.1f MiB, made in %.0f s; GOMEMLIMIT=%s\n", float64(size)/(1<<30), float64(info.Size())/(1<<20), time.Since(begin).Seconds(), limit)
	fmt.Println("| copy | boxes | passes | planned, MiB | VmHWM, MiB | before, MiB | s |\n|---|---|---|---|---|---|---|")
	self, err := os.Executable()
	if err != nil {
		return err
	}
	for _, method := range []string{"takeover", "recode", "columns", "series", "small"} {
		out := filepath.Join(dir, "out.b2nd")
		cmd := exec.CommandContext(ctx, self, "-copy", method, in, out)
		cmd.Env = append(os.Environ(), "GOMEMLIMIT="+limit)
		cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
		if err := errors.Join(cmd.Run(), os.Remove(out)); err != nil {
			return err
		}
	}
	return nil
}

// produce makes an array of smooth values with a little noise, which is small on disk.
func produce(ctx context.Context, path string, size int64) error {
	steps := size / (4 * rows * columns) / layers * layers
	a, err := ndarray.Create[float32](path, ndarray.Shape{steps, rows, columns}, &ndarray.Options{
		ChunkShape: ndarray.Shape{layers, rows, columns}, Codec: codecs.LZ4, Level: 1,
	})
	if err != nil {
		return err
	}
	slab := make([]float32, layers*rows*columns)
	for k := int64(0); k < steps; k += layers {
		for i := range slab {
			y, x := i/columns%rows, i%columns
			slab[i] = float32(int(100*math.Sin(float64(y)/40)+float64(x/8)) + int(k)/64 + i*7919%97/96)
		}
		if err := a.WriteBox(ctx, slab, []int64{k, 0, 0}, []int64{k + layers, rows, columns}); err != nil {
			return errors.Join(err, a.Abort())
		}
	}
	return a.Close()
}

// copyOne makes a copy and compares parts of it.
func copyOne(ctx context.Context, method, in, out string) error {
	u, err := ndarray.Open(in, nil)
	if err != nil {
		return err
	}
	defer u.Close()
	steps := u.Shape()[0]
	o := map[string]*ndarray.CopyOptions{
		"takeover": {},
		"recode":   {Codec: codecs.Zstd, Level: 1},
		"columns":  {ChunkShape: ndarray.Shape{steps, 8, 16}, BlockShape: ndarray.Shape{steps, 1, 4}},
		"series":   {ChunkShape: ndarray.Shape{steps, 1, 1}, BlockShape: ndarray.Shape{steps, 1, 1}},
		"small":    {ChunkShape: ndarray.Shape{64, 64, 64}, BlockShape: ndarray.Shape{16, 16, 64}},
	}[method]
	if o == nil {
		return fmt.Errorf("no method %q", method)
	}
	p, err := ndarray.PlanCopy(u, o)
	if err != nil {
		return err
	}
	before, err := peak()
	if err != nil {
		return err
	}
	begin := time.Now()
	if err := p.Run(ctx, out); err != nil {
		return err
	}
	took := time.Since(begin)
	after, err := peak()
	if err != nil {
		return err
	}
	fmt.Printf("| %s | %v | %.2f | %.1f | %.1f | %.1f | %.0f |\n", method, p.BoxShape, p.Passes,
		float64(p.PeakMemory)/(1<<20), after, before, took.Seconds())
	return compare(ctx, u, out)
}

// compare reads some boxes of the array and of its copy.
func compare(ctx context.Context, u *ndarray.Untyped, out string) error {
	c, err := ndarray.Open(out, nil)
	if err != nil {
		return err
	}
	defer c.Close()
	for k := range int64(50) {
		start, stop := make([]int64, 3), make([]int64, 3)
		for i, n := range u.Shape() {
			start[i] = (k*7919 + int64(i)*104729) % (n - 8)
			stop[i] = start[i] + 8
		}
		want, got := make([]byte, 8*8*8*4), make([]byte, 8*8*8*4)
		if err := errors.Join(u.ReadBytes(ctx, want, start, stop), c.ReadBytes(ctx, got, start, stop)); err != nil {
			return err
		}
		if string(want) != string(got) {
			return fmt.Errorf("%v to %v differs in the copy", start, stop)
		}
	}
	return nil
}

// peak returns the peak resident memory of the process, in MiB.
func peak() (float64, error) {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(status)) {
		if text, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			var kib float64
			_, err := fmt.Sscan(text, &kib)
			return kib / 1024, err
		}
	}
	return 0, errors.New("no VmHWM in /proc/self/status")
}

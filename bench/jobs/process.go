package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"syscall"

	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/zarr"
)

// A usage is what processes took.
type usage struct {
	cpu     float64 // processor seconds of all of them
	largest float64 // of the one with the most
	peak    float64 // memory of the largest, in MiB
}

// add adds a process that has ended.
func (u *usage) add(cmd *exec.Cmd) {
	s := cmd.ProcessState
	if s == nil {
		return
	}
	cpu := (s.UserTime() + s.SystemTime()).Seconds()
	u.cpu += cpu
	u.largest = max(u.largest, cpu)
	if used, ok := s.SysUsage().(*syscall.Rusage); ok {
		u.peak = max(u.peak, float64(used.Maxrss)/1024)
	}
}

// command runs the command, and returns what it prints.
func (o *options) command(ctx context.Context, args ...string) (string, usage, error) {
	return output(ctx, o.cairn, args...)
}

// output runs a program, and returns what it prints.
func output(ctx context.Context, name string, args ...string) (text string, u usage, err error) {
	var out, mistakes bytes.Buffer
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Stdout = &out
	cmd.Stderr = &mistakes
	if err := cmd.Run(); err != nil {
		return "", u, fmt.Errorf("%s %v: %w\n%s%s", name, args, err, out.Bytes(), mistakes.Bytes())
	}
	u.add(cmd)
	return out.String(), u, nil
}

// work runs all tasks by some processes, each with a share and one processor.
func (o *options) work(ctx context.Context, job string, processes int) (u usage, err error) {
	var all []*exec.Cmd
	var said []*bytes.Buffer
	for i := range processes {
		cmd := exec.CommandContext(ctx, o.cairn, "job", "work", "-q", "-shard", fmt.Sprintf("%d/%d", i, processes), job)
		cmd.Env = append(os.Environ(), "GOMAXPROCS=1")
		said = append(said, &bytes.Buffer{})
		cmd.Stderr = said[i]
		if startErr := cmd.Start(); startErr != nil {
			err = errors.Join(err, startErr)
			break
		}
		all = append(all, cmd)
	}

	for i, cmd := range all {
		if waitErr := cmd.Wait(); waitErr != nil {
			err = errors.Join(err, fmt.Errorf("worker %d: %w\n%s", i, waitErr, said[i].Bytes()))
		}
		u.add(cmd)
	}
	return u, err
}

const (
	rows, columns = 512, 512
	layers        = 4 // of a chunk
)

// produce makes an array of smooth values with a little noise, in chunks of some layers, and
// returns the number of layers.
func produce(ctx context.Context, path string, size int64) (steps int64, err error) {
	steps = max(1, size/(4*rows*columns)/layers) * layers
	a, err := ndarray.Create[float32](path, ndarray.Shape{steps, rows, columns}, &ndarray.Options{
		ChunkShape: ndarray.Shape{layers, rows, columns}, Codec: codecs.LZ4, Level: 1,
	})
	if err != nil {
		return 0, err
	}

	slab := make([]float32, layers*rows*columns)
	for k := int64(0); k < steps; k += layers {
		for i := range slab {
			y := i / columns % rows
			x := i % columns
			slab[i] = float32(100*math.Sin(float64(y)/40)+float64(x/8)+float64(k/64)) + float32(i*7919%97)/96
		}
		if err := a.WriteBox(ctx, slab, []int64{k, 0, 0}, []int64{k + layers, rows, columns}); err != nil {
			return 0, errors.Join(err, a.Abort())
		}
	}
	return steps, a.Close()
}

// zarrOf writes the array as a Zarr store whose chunks are those of the array, without shards: dask
// makes a task of each chunk, and inner chunks of shards are far too small for that.
func zarrOf(ctx context.Context, path string) error {
	a, err := ndarray.Open(path, nil)
	if err != nil {
		return err
	}
	defer a.Close()
	return zarr.Save(ctx, path+".zarr", a, &zarr.SaveOptions{Chunks: ndarray.Shape{layers, rows, columns}, NoShards: true,
		Codec: codecs.LZ4, Level: 1})
}

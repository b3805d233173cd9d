package main

import (
	"bufio"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"os/exec"
	"strconv"
	"time"

	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/storage"
	"github.com/cairn-go/cairn/storage/httprange"
)

// A result is what a read took, without opening.
type result struct {
	Seconds  float64 `json:"seconds"`
	Sum      uint32  `json:"sum"` // CRC-32 of the items
	Error    string  `json:"error"`
	requests int
	bytes    int64
}

// A read opens the array anew, calls opened, and reads a part, or only opens it if it has no start.
type read func(ctx context.Context, part reading, opened func()) (result, error)

type peer struct {
	name string
	read read
}

type cairnReader struct {
	url      string
	requests int
}

func (c cairnReader) read(ctx context.Context, part reading, opened func()) (r result, err error) {
	files, err := httprange.NewFS(ctx, &httprange.Options{RangeOptions: storage.RangeOptions{Requests: c.requests}})
	if err != nil {
		return r, err
	}
	defer files.Close()

	began := time.Now()
	a, err := ndarray.Open(c.url+"/a.b2nd", &ndarray.OpenOptions{FS: files, Verify: frame.VerifyWhole})
	if err != nil {
		return r, err
	}
	defer a.Close()

	if part.Start == nil {
		r.Seconds = time.Since(began).Seconds()
		return r, nil
	}
	opened()
	n := int64(4)
	for d := range part.Start {
		n *= part.Stop[d] - part.Start[d]
	}

	began = time.Now()
	items := make([]byte, n)
	err = a.ReadBytes(ctx, items, part.Start, part.Stop)
	r.Seconds = time.Since(began).Seconds()
	r.Sum = crc32.ChecksumIEEE(items)
	return r, err
}

//go:embed peers.py
var peersProgram string

// python is a process that reads with the Python libraries. Each line of JSON that it gets is a
// read, which it answers by one line when the array is open, and another when it is read.
type python struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

func startPython(interpreter, url string, requests int) (*python, error) {
	cmd := exec.Command(interpreter, "-c", peersProgram, url, strconv.Itoa(requests))
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p := &python{cmd, in, bufio.NewReader(out)}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	versions, err := p.out.ReadString('\n')
	fmt.Print(versions)
	return p, err
}

func (p *python) close() {
	p.in.Close()
	_ = p.cmd.Wait() // its answers have told what failed
}

func (p *python) reader(library string) read {
	return func(_ context.Context, part reading, opened func()) (r result, err error) {
		task := struct {
			reading
			Library string `json:"library"`
		}{part, library}
		if err := json.NewEncoder(p.in).Encode(task); err != nil {
			return r, err
		}

		for i := range 2 {
			line, err := p.out.ReadBytes('\n')
			if err == nil {
				err = json.Unmarshal(line, &r)
			}
			switch {
			case err != nil:
				return r, err
			case r.Error != "":
				return r, fmt.Errorf("%s", r.Error)
			case i == 0 && part.Start == nil:
				return r, nil
			case i == 0:
				opened()
				if _, err := p.in.Write([]byte("\n")); err != nil {
					return r, err
				}
			}
		}
		return r, nil
	}
}

// table prints what each read took for each peer, and compares the items.
func table(ctx context.Context, s *server, peers []peer, rounds int) error {
	var sums [8]uint32
	for _, p := range peers {
		fmt.Printf("\n| %s | requests | MiB | seconds |\n|---|---:|---:|---:|\n", p.name)
		for i, part := range readings {
			var best result
			for round := range rounds {
				s.since()
				r, err := p.read(ctx, part, func() { s.since() })
				if err != nil {
					return fmt.Errorf("%s: %s: %w", p.name, part.Name, err)
				}
				r.requests, r.bytes = s.since()
				if round == 0 || r.Seconds < best.Seconds {
					best = r
				}
			}

			if sums[i] == 0 {
				sums[i] = best.Sum
			}
			if best.Sum != sums[i] {
				return fmt.Errorf("%s: %s: other items", p.name, part.Name)
			}

			rate := ""
			if part.Name == "whole" {
				rate = fmt.Sprintf(" (%.1f MB/s)", float64(best.bytes)/best.Seconds/1e6)
			}
			fmt.Printf("| %s | %d | %.3f | %.3f%s |\n", part.Name, best.requests, float64(best.bytes)/(1<<20),
				best.Seconds, rate)
		}
	}
	return nil
}

// Command serve loads the server of package serve, and servers in Python with the same arrays, and
// compares how they answer.
//
//	go run ./serve -python PYTHON -caterva2 PYTHON
//
// Both interpreters are optional. The first has aiohttp, blosc2, numpy and, for series,
// TensorStore: it serves files, and slices that it decodes with python-blosc2. The second has
// caterva2[server]. Servers are processes of their own, and the clients are this one, all on the
// same machine. It ends with 1 if a request fails, or if cairn answers fewer requests a second than
// 0.9 times a server in Python.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"
	"time"
)

type options struct {
	python, caterva2 string
	clients          int
	mixed, row       time.Duration
	only             string
}

func main() {
	var o options
	child := flag.String("serve", "", "serve this `DIR` instead")
	dir := flag.String("dir", os.TempDir(), "where the arrays go; they are removed")
	flag.StringVar(&o.python, "python", "", "interpreter with aiohttp, blosc2 and numpy")
	flag.StringVar(&o.caterva2, "caterva2", "", "interpreter with caterva2[server]")
	flag.IntVar(&o.clients, "clients", 64, "that read at the same time")
	flag.DurationVar(&o.mixed, "mixed", 60*time.Second, "how long the mixed reads take")
	flag.DurationVar(&o.row, "row", 8*time.Second, "how long each other row takes; 0 leaves them out")
	flag.StringVar(&o.only, "only", "", "leave out rows whose names do not contain `TEXT`, and the mixed reads")
	flag.Parse()

	var err error
	if *child != "" {
		err = serveFolder(*child)
	} else {
		err = run(context.Background(), *dir, o)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "serve:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, dir string, o options) error {
	dir, err := os.MkdirTemp(dir, "serve-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := produce(ctx, dir); err != nil {
		return err
	}

	peers, err := startAll(dir, o)
	defer func() {
		for _, p := range peers {
			p.stop()
		}
	}()
	if err != nil {
		return err
	}

	fmt.Printf("%d clients, arrays of %v float32, %v a row\n\n", o.clients, shape, o.row)
	fmt.Printf("| %-22s | %-8s | %9s | %8s | %8s | %8s | %6s | %6s |\n", "read", "server", "requests/s", "MB/s", "p50 ms", "p99 ms",
		"cairn ×", "MiB")
	fmt.Println("|---|---|---:|---:|---:|---:|---:|---:|")

	var slow error
	// cairn is the first of the peers; the others are compared with it.
	for _, row := range rows {
		if o.row == 0 {
			break
		}
		if !strings.Contains(row.name, o.only) {
			continue
		}
		var of result
		for _, p := range peers {
			url := row.url(p.name)
			if url == nil {
				continue
			}
			warm(p.base, url)
			r := load(ctx, p.base, url, o.clients, o.row)
			if p.name == "cairn" {
				of = r
			}
			slow = errors.Join(slow, report(row.name, p, r, of))
		}
	}
	if o.only == "" {
		slow = errors.Join(slow, mixed(ctx, peers, o))
	}
	return slow
}

// report prints a row.
func report(name string, p *peer, r, cairn result) error {
	times := cairn.rate() / r.rate()
	fmt.Printf("| %-22s | %-8s | %9.0f | %8.1f | %8.2f | %8.2f | %6.2f | %6d |\n", name, p.name, r.rate(), r.megabytes(),
		r.quantile(0.5), r.quantile(0.99), times, p.memory()>>20)
	switch {
	case r.failed > 0 && p.name == "cairn":
		return fmt.Errorf("%s: %d requests failed: %v", name, r.failed, r.err)
	case times < 0.9:
		return fmt.Errorf("%s: %.2f times the requests of %s", name, times, p.name)
	}
	return nil
}

// mixed prints the rows of all kinds of reads together, at last beside slow clients and clients
// that read nothing.
func mixed(ctx context.Context, peers []*peer, o options) error {
	var slow error
	var of result
	for _, p := range peers {
		if p.name == "caterva2" {
			continue // it has only slices
		}
		r := load(ctx, p.base, all(p.name), o.clients, o.mixed)
		if p.name == "cairn" {
			of = r
		}
		slow = errors.Join(slow, report("mixed", p, r, of))
	}

	var calm, beside result
	for range 3 { // by turns, since the machine is not always as fast
		calm.add(load(ctx, peers[0].base, all("cairn"), o.clients, o.mixed/6))
		stop := disturb(ctx, peers[0].base)
		time.Sleep(2 * time.Second) // until the server knows that they are slow
		beside.add(load(ctx, peers[0].base, all("cairn"), o.clients, o.mixed/6))
		stop()
	}

	slow = errors.Join(slow, report("mixed, by turns with", peers[0], calm, calm),
		report("mixed, 64 slow clients", peers[0], beside, beside))
	if beside.rate() < 0.9*calm.rate() {
		slow = errors.Join(slow, fmt.Errorf("slow clients leave %.0f of %.0f requests a second", beside.rate(), calm.rate()))
	}
	return slow
}

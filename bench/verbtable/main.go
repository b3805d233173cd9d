// Command verbtable prints the results of the workload verbs as a table for documents, and the
// operations in which another program was clearly faster.
//
//	go run ./verbtable DIR…
//
// DIR are directories with a rounds.csv, as bench/run -out makes them.
package main

import (
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/cairn-go/cairn/bench/result"
)

// clearly is the ratio below which a row is listed.
const clearly = 0.9

func main() {
	log.SetFlags(0)
	if len(os.Args) < 2 {
		log.Fatal("usage: verbtable DIR…")
	}
	var all []*result.Measure
	for _, dir := range os.Args[1:] {
		measures, err := read(filepath.Join(dir, "rounds.csv"))
		if err != nil {
			log.Fatal(err)
		}
		all = append(all, measures...)
	}
	fmt.Print(result.FastestTable(all))
	fmt.Printf("\nBelow %.1f:\n\n", clearly)
	for _, m := range all {
		if peer, ratio, ok := m.Fastest(); ok && ratio < clearly {
			fmt.Printf("- %.2f %s, %s, %s, %d thr: %s\n", ratio, m.Op, m.Data, m.Codec, m.Threads, peer)
		}
	}
}

func read(path string) ([]*result.Measure, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	all, err := result.ReadCSV(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	var verbs []*result.Measure
	for _, m := range all {
		if m.Workload == "verbs" {
			verbs = append(verbs, m)
		}
	}
	return verbs, nil
}

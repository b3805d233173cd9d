// Command bench compares cairn with C-Blosc2 and others on the same data, codecs, levels, filters
// and threads.
//
// The C side is driver/, a process that holds the data in memory; python-blosc2, zarr-python and
// h5py are in peer/. The peers take turns in each round, so that other load on the machine affects
// all of them. Reports have the median over rounds of the ratio within a round. `bench/run` builds
// and runs everything; `bench/run -help` lists the options.
package main

import (
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/cairn-go/cairn/bench/result"
)

func main() {
	log.SetFlags(0)
	c, command, err := parseFlags(os.Args[1:])
	switch {
	case errors.Is(err, flag.ErrHelp):
		for _, w := range workloads() {
			fmt.Fprintf(os.Stderr, "  workload %-8s %s\n", w.name, w.about)
		}
		return
	case err != nil:
	case c.against != "":
		err = compareCommits(c)
	case c.summary != "":
		err = summarizeFiles(strings.Split(c.summary, ","), c.out)
	case c.write != "":
		err = c.writeSets()
	default:
		err = run(c, command)
	}
	if errors.Is(err, errSlower) {
		os.Exit(1)
	}
	if err != nil {
		log.Print(err)
		os.Exit(2)
	}
}

// run runs the workloads and writes the report.
func run(c *config, command string) error {
	s := &contest{config: c, has: map[string]bool{}}
	s.report = &result.Report{Command: command, Machine: machine(), Started: time.Now(), Load: loadAverage(), Rounds: c.rounds}
	if err := s.begin(); err != nil {
		return err
	}
	defer s.end()

	for _, w := range workloads() {
		if !slices.Contains(c.workloads, w.name) {
			continue
		}
		fmt.Fprintf(os.Stderr, "-- %s: %s\n", w.name, w.about)
		if err := w.run(s); err != nil {
			return fmt.Errorf("%s: %w", w.name, err)
		}
	}

	r := s.report
	r.Took = time.Since(r.Started)
	r.Load = fmt.Sprintf("%s at the start, %s at the end; other load on the machine affects ranges more than medians",
		r.Load, loadAverage())
	r.Targets = judge(r)
	r.Summary = summarize(r)

	text := r.Text()
	fmt.Print(text)
	if c.out == "" {
		return nil
	}

	if err := os.MkdirAll(c.out, 0o777); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(c.out, "report.txt"), []byte(text), 0o666); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(c.out, "rounds.csv"), []byte(r.CSV()), 0o666); err != nil {
		return err
	}
	return drawAll(r, c.out)
}

// begin starts the peers and records them in the report.
func (s *contest) begin() error {
	if s.driver == "" {
		return errors.New("-driver is missing; bench/run compiles it")
	}
	p, err := startProcess("driver", s.driver)
	if err != nil {
		return err
	}
	s.c = &driver{p}
	if s.report.Versions, err = s.c.versions("version"); err != nil {
		return err
	}
	s.report.Versions = append(s.report.Versions, moduleVersions()...)
	for _, p := range peers() {
		s.has[p.flag] = !p.python && slices.Contains(s.peers, p.flag)
	}
	return s.beginPython()
}

func (s *contest) end() {
	s.c.close()
	if s.python != nil {
		s.python.close()
	}
}

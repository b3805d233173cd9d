package main

import (
	"flag"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// config holds the flags of the command line.
type config struct {
	driver, python, peer string
	command              string // the binary of cmd/cairn
	data, out            string
	workloads, peers     []string
	codecs, filters      []string
	levels, threads      []int
	rounds, chunkSize    int
	size, appended       int
	kinds                []string // generated data sets
	files                string   // of the workload reads; "" means all
	planes               bool     // of the workload reads
	write                string
	quick                bool
	seed                 uint64 // of drawn kinds, or 0
	roundTime            float64

	against, home string // the commit to compare with, and this directory
	pairs         int
	passed        []string // flags for both versions
	line          string   // the command line, without local paths
	summary       string   // files of rounds
}

func parseFlags(args []string) (*config, string, error) {
	c := &config{}
	var kinds, workloads, peers, codecs, filters, levels, threads string

	f := flag.NewFlagSet("bench", flag.ContinueOnError)
	f.StringVar(&c.driver, "driver", "", "the compiled driver; bench/run sets it")
	f.StringVar(&c.python, "python", "", "an interpreter with the Python peers; bench/run sets it")
	f.StringVar(&c.peer, "peer", "", "the program for the interpreter; bench/run sets it")
	f.StringVar(&c.command, "cairn", "", "the command cairn; bench/run sets it")
	f.StringVar(&c.data, "data", "", "directory of .npy files to use as further data sets")
	f.StringVar(&kinds, "kinds", "all", "generated data sets, or all, or none")
	f.Uint64Var(&c.seed, "seed", 0, "use kinds drawn from this seed, instead of those that are always the same")
	f.StringVar(&c.write, "write", "", "write the data sets into this directory as .npy files instead of comparing")
	f.StringVar(&c.out, "out", "", "directory for report.txt, rounds.csv and the charts")
	f.StringVar(&workloads, "workloads", strings.Join(workloadNames(), ","), "workloads to run")
	f.StringVar(&peers, "peers", strings.Join(peerFlags(), ","), "peers to compare with besides C-Blosc2, or none")
	f.StringVar(&c.files, "files", "", "files of the workload reads; none means all")
	f.BoolVar(&c.planes, "planes", true, "read planes, points and boxes in the workload reads, besides whole arrays")
	f.StringVar(&codecs, "codecs", "blosclz,lz4,lz4hc,zlib,zstd", "codecs to compare")
	f.StringVar(&filters, "filters", "shuffle,bitshuffle", "filters to compare: none, shuffle, bitshuffle")
	f.StringVar(&levels, "levels", "5", "levels to compare; the workload levels always uses 1 to 9")
	f.StringVar(&threads, "threads", "1,2", "thread counts to compare")
	f.IntVar(&c.rounds, "rounds", 5, "rounds of every measurement")
	f.Float64Var(&c.roundTime, "roundtime", 0.1, "seconds of a round, if one repetition does not take longer")
	f.IntVar(&c.chunkSize, "chunk", 2<<20, "bytes of a chunk")
	f.IntVar(&c.size, "size", 16<<20, "bytes of each generated data set")
	f.IntVar(&c.appended, "appended", 1_000_000, "chunks to append, at least 20000")
	f.StringVar(&c.against, "against", "", "compare this version with a commit, over groups of measures; the status is 1 if one became slower, 2 after an error")
	f.IntVar(&c.pairs, "pairs", 4, "runs of each version with -against")
	f.StringVar(&c.home, "home", "", "the directory of the benchmark; bench/run sets it")
	f.StringVar(&c.summary, "summary", "", "write the summary of these rounds.csv of runs into -out, instead of comparing")
	f.BoolVar(&c.quick, "quick", false, "few data, rounds and combinations, a few minutes")

	if err := f.Parse(args); err != nil {
		return nil, "", err
	}
	if f.NArg() > 0 {
		return nil, "", fmt.Errorf("unexpected argument %q", f.Arg(0))
	}

	c.line = command(f)
	if c.against != "" {
		var err error
		if c.passed, err = c.againstDefaults(f); err != nil {
			return nil, "", err
		}
	}
	if c.quick {
		set := map[string]bool{}
		f.Visit(func(f *flag.Flag) { set[f.Name] = true })
		quicken(c, set, &kinds, &threads, &filters)
	}
	c.workloads = strings.Split(workloads, ",")
	c.peers = strings.Split(peers, ",")
	c.codecs = strings.Split(codecs, ",")
	c.filters = strings.Split(filters, ",")

	for _, w := range c.workloads {
		if !slices.Contains(workloadNames(), w) {
			return nil, "", fmt.Errorf("unknown workload %q; there are: %s", w, strings.Join(workloadNames(), ", "))
		}
	}
	for _, p := range c.peers {
		if p != "" && p != "none" && !slices.Contains(peerFlags(), p) {
			return nil, "", fmt.Errorf("unknown peer %q; there are: %s", p, strings.Join(peerFlags(), ", "))
		}
	}

	var err error
	if c.kinds, err = chosenKinds(kinds, c.seed); err != nil {
		return nil, "", err
	}
	if c.levels, err = numbers(levels); err != nil {
		return nil, "", err
	}
	c.threads, err = numbers(threads)
	return c, c.line, err
}

// quickKinds show one property alone, and one array as it is kept.
const quickKinds = "arange.i8,walk.f8,temperature.f4"

// quicken reduces the flags that were not set on the command line.
func quicken(c *config, set map[string]bool, kinds, threads, filters *string) {
	for name, apply := range map[string]func(){
		"rounds":   func() { c.rounds = 3 },
		"size":     func() { c.size = 8 << 20 },
		"appended": func() { c.appended = 100_000 },
		"kinds": func() {
			if c.seed == 0 {
				*kinds = quickKinds
			}
		},
		"threads": func() { *threads = "1" },
		"filters": func() { *filters = "shuffle" },
	} {
		if !set[name] {
			apply()
		}
	}
}

// command returns the command line that repeats the run on another machine, without local paths.
func command(set *flag.FlagSet) string {
	out := "bench/run"
	set.Visit(func(f *flag.Flag) {
		switch f.Name {
		case "driver", "python", "peer", "cairn", "home", "out", "write", "summary":
		case "data":
			out += " -data DIR"
		case "quick":
			out += " -" + f.Name
		default:
			out += " -" + f.Name + " " + f.Value.String()
		}
	})
	return out
}

// chosenKinds returns the kinds of a list.
func chosenKinds(list string, seed uint64) ([]string, error) {
	known := kindNames(seed)
	switch list {
	case "none":
		return nil, nil
	case "all":
		return known, nil
	}
	chosen := strings.Split(list, ",")
	for _, name := range chosen {
		if !slices.Contains(known, name) {
			return nil, fmt.Errorf("unknown kind %q; there are: %s", name, strings.Join(known, ", "))
		}
	}
	return chosen, nil
}

func numbers(list string) ([]int, error) {
	var out []int
	for _, s := range strings.Split(list, ",") {
		n, err := strconv.Atoi(s)
		if err != nil {
			return nil, err
		}
		out = append(out, n)
	}
	return out, nil
}

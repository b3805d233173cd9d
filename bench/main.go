// Command bench compares cairn with C-Blosc2 on the same data, codecs, levels, filters and threads.
//
// The C side is driver/driver.c, a process that holds the data in memory. Rounds of the two alternate, so that whatever else the machine does
// hits both; what is reported is the median over rounds of the ratio within a round. `bench/run` builds and runs all of it.
package main

import (
	"flag"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"strconv"
	"strings"
	"time"
)

type config struct {
	driver, data, out      string
	layer                  string
	codecs, filters        []string
	levels, threads        []int
	rounds, chunkSize      int
	size                   int
	profile, profileTarget string
}

func main() {
	log.SetFlags(0)
	c, err := parseFlags()
	if err != nil {
		log.Fatal(err)
	}
	if c.profileTarget != "" {
		err = profile(c)
	} else {
		err = compare(c)
	}
	if err != nil {
		log.Fatal(err)
	}
}

func parseFlags() (*config, error) {
	c := &config{}
	var codecs, filters, levels, threads string
	flag.StringVar(&c.driver, "driver", "", "the compiled driver.c")
	flag.StringVar(&c.data, "data", "", "directory of .npy files; empty for generated data")
	flag.StringVar(&c.out, "out", "", "also write NAME.txt and NAME.csv")
	flag.StringVar(&c.layer, "layer", "frame", "frame (super-chunk in memory) or chunk (encoder and decoder alone)")
	flag.StringVar(&codecs, "codecs", "blosclz,lz4,lz4hc,zlib,zstd", "codecs to compare")
	flag.StringVar(&filters, "filters", "shuffle,bitshuffle", "filters to compare: none, shuffle, bitshuffle")
	flag.StringVar(&levels, "levels", "5", "levels to compare")
	flag.StringVar(&threads, "threads", "1,2", "thread counts to compare")
	flag.IntVar(&c.rounds, "rounds", 7, "rounds of each combination")
	flag.IntVar(&c.chunkSize, "chunk", 2<<20, "bytes of a chunk")
	flag.IntVar(&c.size, "size", 16<<20, "bytes of each generated data set")
	flag.StringVar(&c.profileTarget, "profile", "", "compress or decompress: write a CPU profile of cairn alone instead of comparing")
	flag.StringVar(&c.profile, "cpuprofile", "cpu.pprof", "where -profile writes to")
	quick := flag.Bool("quick", false, "a minute instead of many: 3 rounds, one thread, byte shuffle, 4 MB of each generated data set")
	flag.Parse()
	if *quick {
		c.rounds, c.size, threads, filters = 3, 4<<20, "1", "shuffle"
	}
	if flag.NArg() > 0 {
		return nil, fmt.Errorf("unexpected argument %q", flag.Arg(0))
	}
	c.codecs, c.filters = strings.Split(codecs, ","), strings.Split(filters, ",")
	for _, l := range []struct {
		text string
		to   *[]int
	}{{levels, &c.levels}, {threads, &c.threads}} {
		for _, s := range strings.Split(l.text, ",") {
			n, err := strconv.Atoi(s)
			if err != nil {
				return nil, err
			}
			*l.to = append(*l.to, n)
		}
	}
	return c, nil
}

// command spells the command line that gives the same run elsewhere: without paths of this machine.
func command() string {
	out := "bench/run"
	flag.Visit(func(f *flag.Flag) {
		switch f.Name {
		case "driver", "out":
		case "data":
			out += " -data DIR"
		default:
			out += " -" + f.Name + " " + f.Value.String()
		}
	})
	return out
}

// jobs lists every combination for one data set.
func (c *config) jobs(typeSize int) ([]job, error) {
	var out []job
	for _, codec := range c.codecs {
		for _, level := range c.levels {
			for _, filter := range c.filters {
				for _, threads := range c.threads {
					j, err := newJob(c.layer, codec, filter, level, threads, typeSize, c.chunkSize)
					if err != nil {
						return nil, err
					}
					out = append(out, j)
				}
			}
		}
	}
	return out, nil
}

func compare(c *config) error {
	d, err := startDriver(c.driver)
	if err != nil {
		return err
	}
	defer d.close()
	version, err := d.version()
	if err != nil {
		return err
	}
	sets, err := workloads(c)
	if err != nil {
		return err
	}
	r := &report{command: command(), cblosc2: version, started: time.Now(), load: loadAverage(), rounds: c.rounds, layer: c.layer}
	for _, set := range sets {
		jobs, err := c.jobs(set.typeSize)
		if err != nil {
			return err
		}
		if err := d.load(set); err != nil {
			return err
		}
		for _, j := range jobs {
			row, err := compareOne(c, d, set, j)
			if err != nil {
				return fmt.Errorf("%s %v: %w", set.name, j, err)
			}
			r.rows = append(r.rows, row)
			fmt.Fprintln(os.Stderr, row.line())
		}
	}
	text := r.text()
	fmt.Print(text)
	if c.out == "" {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(c.out), 0o777); err != nil {
		return err
	}
	if err := os.WriteFile(c.out+".txt", []byte(text), 0o666); err != nil {
		return err
	}
	return os.WriteFile(c.out+".csv", []byte(r.csv()), 0o666)
}

// compareOne alternates the two sides over the rounds of one combination.
func compareOne(c *config, d *driver, set *workload, j job) (row, error) {
	out := row{set: set.name, job: j, size: len(set.data)}
	ours, err := newRunner(j, set.data)
	if err != nil {
		return out, err
	}
	reps := 1
	for round := range c.rounds + 1 {
		theirs, err := d.run(j, reps)
		if err != nil {
			return out, err
		}
		mine, err := ours.run(reps)
		if err != nil {
			return out, err
		}
		if round == 0 { // warms both up, and says how often to repeat so that a round takes long enough to time
			reps = min(max(int(0.03/(theirs.Compress+theirs.Decompress)), 1), 20)
			continue
		}
		out.c, out.cairn = append(out.c, theirs), append(out.cairn, mine)
	}
	return out, nil
}

// profile runs cairn alone over all data sets and writes a CPU profile of one direction.
func profile(c *config) error {
	sets, err := workloads(c)
	if err != nil {
		return err
	}
	f, err := os.Create(c.profile)
	if err != nil {
		return err
	}
	defer f.Close()
	var runners []*runner
	for _, set := range sets {
		jobs, err := c.jobs(set.typeSize)
		if err != nil {
			return err
		}
		for _, j := range jobs {
			r, err := newRunner(j, set.data)
			if err != nil {
				return err
			}
			if _, err := r.run(1); err != nil {
				return err
			}
			runners = append(runners, r)
		}
	}
	runtime.GC()
	if err := pprof.StartCPUProfile(f); err != nil {
		return err
	}
	defer pprof.StopCPUProfile()
	for start := time.Now(); time.Since(start) < 5*time.Second; {
		for _, r := range runners {
			if err := r.half(c.profileTarget); err != nil {
				return err
			}
		}
	}
	return nil
}

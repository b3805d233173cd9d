package diskcache

import (
	"bytes"
	"flag"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"
)

var (
	shared = flag.String("shared", "", "directory of the cache that TestReadUntilKilled shares with other processes")
	seed   = flag.Uint64("seed", 0, "what TestReadUntilKilled reads follows from it")
	kills  = flag.Int("kills", 60, "processes that TestKilledProcesses kills")
)

// What processes read, and how much is kept.
const (
	farSize   = 12 << 20
	sharedMax = 4 << 20
)

// TestReadUntilKilled reads through a shared cache until it is killed, if TestKilledProcesses has
// started it. Otherwise it reads a little.
func TestReadUntilKilled(t *testing.T) {
	dir, rounds := *shared, math.MaxInt
	if dir == "" {
		dir, rounds = t.TempDir(), 20
	}
	rnd := rand.New(rand.NewPCG(*seed, 4))
	s := &source{data: pattern(farSize), version: "1"}
	for i := 0; i < rounds; i++ {
		c := openCache(t, dir, sharedMax)
		r := c.Ranges(s, "far")
		for range 50 {
			n := rnd.Int64N(40_000) + 1
			readFrom(t, r, s, extent{rnd.Int64N(farSize - n), n})
			s.since()
		}
		st := c.Stats()
		check(t, c.Close())
		if st.Damaged > 0 {
			t.Fatalf("%+v", st)
		}
	}
}

// TestKilledProcesses kills processes that share a cache, one after the other, at any moment. What
// is kept stays intact and bounded, and no process reads a wrong byte. More: go test
// ./storage/diskcache -run Killed -kills 2000
func TestKilledProcesses(t *testing.T) {
	dir := t.TempDir()
	type child struct {
		*exec.Cmd
		out bytes.Buffer
	}
	start := func(seed int) *child {
		c := &child{Cmd: exec.Command(os.Args[0], "-test.run", "^TestReadUntilKilled$", "-shared", dir,
			"-seed", strconv.Itoa(seed))}
		c.Stdout, c.Stderr = &c.out, &c.out
		check(t, c.Start())
		return c
	}
	kill := func(c *child) {
		check(t, c.Process.Kill())
		_ = c.Wait() // it was killed
		if c.out.Len() > 0 {
			t.Fatalf("a process says: %s", c.out.String())
		}
	}
	rnd := rand.New(rand.NewPCG(1, 5))
	const together = 4
	var children [together]*child
	for i := range children {
		children[i] = start(i)
	}
	for { // a busy machine takes long to start a process
		if paths, _ := keptFiles(t, dir); len(paths) > 2*together {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	for i := range *kills {
		time.Sleep(time.Duration(rnd.IntN(60)) * time.Millisecond)
		kill(children[i%together])
		children[i%together] = start(together + i)
	}
	for _, c := range children {
		kill(c)
	}
	c := openCache(t, dir, sharedMax)
	paths, _ := keptFiles(t, dir)
	total, ok := c.total()
	var size int64
	s := &source{data: pattern(farSize), version: "1"}
	n := 0
	for _, path := range paths {
		p, ok := parsePlace(filepath.Base(path))
		if !ok {
			continue // was being written
		}
		read(t, c, s, p.extent)
		size += charge(p.headSize() + p.n)
		n++
	}
	if _, asked := s.since(); n == 0 || len(asked) > 0 || c.Stats().Damaged > 0 {
		t.Errorf("of %d files, %d were not intact: %+v", n, len(asked), c.Stats())
	}
	if !ok || size > total || total > sharedMax {
		t.Errorf("%d bytes are kept, noted are %d, %v", size, total, ok)
	}
	t.Logf("%d files of %d bytes, noted are %d; %d were being written", n, size, total, len(paths)-n)
}

package main

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cairn-go/cairn/check/harness"
)

// Index programs: the real library makes an array or a table with indexes, and both sides change it
// in turns. After every turn, the real library compares the results of its queries with a full
// scan. An index that cairn did not mark as stale shows as a difference.

//go:embed indexpeer.py
var indexPeerSource string

type indexCommand struct {
	Op    string `json:"op"`
	Path  string `json:"path"`
	Key   string `json:"key"` // of a table in a tree; empty if the table is the store
	Table bool   `json:"table"`
	Seed  uint64 `json:"seed"`
	Count int    `json:"count"` // of queries
}

type indexAnswer struct {
	Queries int      `json:"queries"`
	Indexed int      `json:"indexed"` // queries that an index can answer
	Fresh   int      `json:"fresh"`
	Stale   int      `json:"stale"`
	Wrong   []string `json:"wrong"`
	Done    []string `json:"done"` // kinds of indexes made, and changes
	What    string   `json:"what"`
}

// indexTally counts what index programs did.
type indexTally struct {
	programs, tables, queries, indexed, own int // own: programs that ended with errAlone
	done                                    map[string]int
}

// An indexProgram is one such program.
type indexProgram struct {
	rng     *rand.Rand
	peer    *peer
	tally   *indexTally
	command indexCommand
	dir     string // has two directories: for the program, and for the case of the library
	copies  int
	control bool     // undo the marks of cairn
	log     []string // what was done
	alone   libraryCase
}

// errStaleAnswer means that the result of a query differs from a full scan.
var errStaleAnswer = errors.New("queries differ from a full scan")

// runIndexes runs programs. With control, the marks of cairn are undone, and at least one program
// must fail.
func runIndexes(python string, seed uint64, first, count int, control, verbose bool) error {
	p, versions, err := harness.Python(python, indexPeerSource)
	if err != nil {
		return err
	}
	defer p.Close()
	fmt.Printf("seed %d, %s\n", seed, versions)

	tally := &indexTally{done: map[string]int{}}
	for i := first; i < first+count; i++ {
		c, err := newIndexProgram(p, seed, i, tally)
		if err != nil {
			return err
		}
		c.control = control
		err = errors.Join(c.run(), os.RemoveAll(c.dir))
		if verbose {
			fmt.Printf("%d: %s\n", i, strings.Join(c.log, "; "))
		}

		// What the library gets wrong without cairn too is no difference.
		if errors.Is(err, errAlone) {
			if tally.own++; verbose {
				fmt.Printf("%d: %v\n", i, err)
			}
			continue
		}
		if control && errors.Is(err, errStaleAnswer) {
			fmt.Printf("without marks, index program %d fails as it should: %v\n", i, err)
			return nil
		}
		if err != nil {
			return fmt.Errorf("index program %d: %w\n%s\n"+
				"repeat with: go run ./check/interop -python %s -seed %d -first %d -indexes 1",
				i, err, strings.Join(c.log, "; "), python, seed, i)
		}
	}

	if control {
		return fmt.Errorf("%d index programs without a difference, although cairn marked nothing", count)
	}
	fmt.Printf("%d index programs, %d of them with tables, %d queries of which %d had a fresh index, "+
		"0 differences; %d programs ended with what the library does alone, too\n",
		tally.programs, tally.tables, tally.queries, tally.indexed, tally.own)
	for _, what := range slices.Sorted(maps.Keys(tally.done)) {
		fmt.Printf("%6d %s\n", tally.done[what], what)
	}
	return nil
}

func newIndexProgram(p *peer, seed uint64, i int, tally *indexTally) (*indexProgram, error) {
	dir, err := os.MkdirTemp("", "cairn-interop-*")
	if err != nil {
		return nil, err
	}
	c := &indexProgram{rng: rand.New(rand.NewPCG(seed, uint64(i)<<8|9)), peer: p, tally: tally, dir: dir}
	name := "a.b2nd"
	if c.command.Table = c.rng.IntN(5) < 2; c.command.Table {
		name = []string{"t.b2d", "t.b2d", "t.b2z"}[c.rng.IntN(3)]
		c.command.Key = []string{"", "", "/g/t"}[c.rng.IntN(3)]
		tally.tables++
	}
	c.command.Path = filepath.Join(c.work(), name)
	tally.programs++
	return c, os.Mkdir(c.work(), 0o777)
}

// work returns the directory of the array or table. It must not be moved: indexes have absolute
// paths.
func (c *indexProgram) work() string { return filepath.Join(c.dir, "work") }

// run creates the array or table and lets the sides take turns.
func (c *indexProgram) run() error {
	if err := c.theirs("make"); err != nil {
		return err
	}
	if err := c.query(); err != nil {
		return err
	}

	for range 1 + c.rng.IntN(4) {
		var err error
		if c.rng.IntN(5) < 3 {
			err = c.ours()
		} else {
			err = c.theirs("change")
		}
		if err != nil {
			return err
		}

		if err = c.query(); err != nil {
			return err
		}
	}
	return nil
}

// call lets the library do an operation that depends only on the seed and the current files.
func (c *indexProgram) call(op string, count int) (a indexAnswer, err error) {
	command := c.command
	command.Op = op
	command.Seed = c.rng.Uint64N(1 << 50)
	command.Count = count
	if err = c.peer.Call(command, &a); err != nil {
		err = fmt.Errorf("the real library, %s: %w", op, err)
	} else if len(a.Wrong) > 0 {
		err = fmt.Errorf("%w: %s", errStaleAnswer, strings.Join(a.Wrong, "; "))
	}
	c.alone.commands = append(c.alone.commands, command)
	if err != nil {
		err = c.failsAlone(err)
	}
	return a, err
}

func (c *indexProgram) theirs(op string) error {
	a, err := c.call(op, 0)
	name := filepath.Base(c.command.Path) + c.command.Key
	c.log = append(c.log, fmt.Sprintf("Python %s %s %s %v", op, name, a.What, a.Done))
	c.count("Python", a.Done)
	return err
}

// count counts what a side did.
func (c *indexProgram) count(side string, done []string) {
	of := "array"
	if c.command.Table {
		of = "table"
	}
	for _, what := range done {
		c.tally.done[fmt.Sprintf("%s, %s: %s", of, side, what)]++
	}
}

func (c *indexProgram) query() error {
	a, err := c.call("query", 4)
	c.tally.queries += a.Queries
	c.tally.indexed += a.Indexed
	c.log = append(c.log, fmt.Sprintf("%d indexes fresh, %d stale", a.Fresh, a.Stale))
	return err
}

// ours lets cairn change the array or the table.
func (c *indexProgram) ours() error {
	change := c.changeArray
	if c.command.Table {
		change = c.changeTable
	}
	what, err := change(context.Background())
	c.log = append(c.log, "cairn "+what)
	c.count("cairn", strings.Split(what, ", "))
	if err != nil {
		return fmt.Errorf("cairn, %s: %w", what, err)
	}

	if err = c.remember(what); err != nil {
		return fmt.Errorf("cairn, %s: %w", what, err)
	}
	return nil
}

package main

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/cairn-go/cairn/check/harness"
)

// Verb programs: the real library makes an array or a table with indexes, and the command changes,
// copies or replaces it. After every step of verbs, the real library compares the results of its
// queries with a full scan, on all that the step wrote.

// A verbProgram is one such program.
type verbProgram struct {
	*indexProgram
	binary string
	numeric,
	filesOfIndexes bool // the table has indexes that the library finds only in directories
	names map[string]string // what the capital names in steps stand for
	steps int
	ran   map[string]int // verbs by step, and of all under ""
	turns map[bool]int   // steps for arrays, and for tables
}

// runVerbs runs programs, one after the other.
func runVerbs(python string, seed uint64, first, count int, verbose bool) (err error) {
	p, versions, err := harness.Python(python, indexPeerSource)
	if err != nil {
		return err
	}
	defer p.Close()
	fmt.Printf("seed %d, %s\n", seed, versions)

	dir, err := os.MkdirTemp("", "cairn-verbs-*")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()

	binary, err := harness.Build(dir)
	if err != nil {
		return err
	}

	tally := &indexTally{done: map[string]int{}}
	ran := map[string]int{}
	turns := map[bool]int{}
	for i := first; i < first+count; i++ {
		c, err := newIndexProgram(p, seed, i, tally)
		if err != nil {
			return err
		}

		c.rng = rand.New(rand.NewPCG(seed, uint64(i)<<8|10))
		v := &verbProgram{indexProgram: c, binary: binary, names: map[string]string{}, ran: ran,
			turns: turns}
		err = errors.Join(v.run(), os.RemoveAll(c.dir))
		if verbose {
			fmt.Printf("%d: %s\n", i, strings.Join(c.log, "; "))
		}
		if errors.Is(err, errAlone) {
			tally.own++
		} else if err != nil {
			return fmt.Errorf("verb program %d: %w\n%s\n"+
				"repeat with: go run ./check/interop -python %s -seed %d -first %d -verbs 1",
				i, err, strings.Join(c.log, "; "), python, seed, i)
		}
	}

	fmt.Printf("%d verb programs, %d of them with tables, %d verbs in %d kinds of steps, %d queries of which "+
		"%d had a fresh index, 0 differences; %d programs ended with what the library does alone, too\n",
		tally.programs, tally.tables, ran[""], len(ran)-1, tally.queries, tally.indexed, tally.own)
	return nil
}

// run creates the array or table and runs steps of verbs.
func (v *verbProgram) run() error {
	if err := v.make(); err != nil {
		return err
	}
	for range 1 + v.rng.IntN(3) {
		v.steps++
		if err := v.step(); err != nil {
			return err
		}
	}
	return nil
}

// make has the library make the array or table, and prepares what the verbs take beside it.
func (v *verbProgram) make() error {
	a, err := v.call("make", 0)
	if err != nil {
		return err
	}
	v.log = append(v.log, fmt.Sprintf("Python made %s%s %s %v", v.command.Path, v.command.Key, a.What, a.Done))
	v.numeric = v.command.Table || strings.ContainsAny(a.What, "iuf") && !strings.Contains(a.What, "(")
	for _, kind := range a.Done {
		v.filesOfIndexes = v.filesOfIndexes || kind == "PARTIAL" || kind == "MEMBERSHIP"
	}

	if err := v.query(); err != nil {
		return err
	}

	side := filepath.Join(v.dir, "side")
	v.names = map[string]string{"REV": side + ".b2nd", "NPY": side + ".npy", "TWO": side + "2.b2nd"}
	array := v.command.Path
	if v.command.Table {
		array += "::" + v.command.Key + "/a"
	}

	for _, words := range []string{"copy -s ::-1 " + array + " REV", "export REV NPY", "concat -stack REV REV TWO"} {
		if err := v.cairn(words); err != nil {
			return err
		}
	}
	return nil
}

// step runs one step, and has the library query what it wrote.
func (v *verbProgram) step() error {
	s := v.next()
	v.names["A"] = v.command.Path
	v.names["KEY"] = v.command.Key
	v.names["LEAF"] = v.command.Path + "::" + v.command.Key

	for name, text := range map[string]string{"OUT": "out%d.b2nd", "DIR": "out%d.b2d", "ZIP": "out%d.b2z", "PARTS": "part%d-%%d.b2nd",
		"PART0": "part%d-0.b2nd", "INNER": "out%d.b2d/x/a.b2nd"} {
		v.names[name] = filepath.Join(v.work(), fmt.Sprintf(text, v.steps))
	}
	v.ran[s.name()]++

	for _, words := range s.verbs {
		if err := v.cairn(words); err != nil {
			return err
		}
	}
	if s.changes {
		if err := v.remember("verbs"); err != nil {
			return err
		}
	}

	if err := v.query(); err != nil {
		return err
	}
	for _, target := range s.wrote {
		path, key, _ := strings.Cut(v.fill(target), " ")
		if err := v.queryCopy(path, key); err != nil {
			return fmt.Errorf("%s %s: %w", path, key, err)
		}
	}
	return nil
}

// queryCopy has the library query what a step wrote, and if that fails, the original, which has the
// same indexes and the same items or fewer.
func (v *verbProgram) queryCopy(path, key string) error {
	command := v.command
	command.Op = "query"
	command.Seed = v.rng.Uint64N(1 << 50)
	command.Count = 4

	ask := func(path, key string) (a indexAnswer, err error) {
		command.Path = path
		command.Key = key
		if err = v.peer.Call(command, &a); err == nil && len(a.Wrong) > 0 {
			err = fmt.Errorf("%w: %s", errStaleAnswer, strings.Join(a.Wrong, "; "))
		}
		return a, err
	}

	a, err := ask(path, key)
	v.tally.queries += a.Queries
	v.tally.indexed += a.Indexed
	v.log = append(v.log, fmt.Sprintf("%d indexes fresh, %d stale", a.Fresh, a.Stale))
	if err == nil {
		return nil
	}
	if _, alone := ask(v.command.Path, v.command.Key); alone != nil {
		return fmt.Errorf("%w: %w", errAlone, err)
	}
	return err
}

// fill replaces the capital names in a text by what they stand for.
func (v *verbProgram) fill(text string) string {
	words := strings.Split(text, " ")
	for i, word := range words {
		name, rest, leaf := strings.Cut(word, "::")
		before, after, named := strings.Cut(name, "=")
		if named {
			before = before + "="
			name = after
		} else {
			before = ""
		}

		if full, ok := v.names[name]; ok {
			name = full
		}
		if leaf {
			name += "::" + rest
		}
		if inTable, ok := strings.CutPrefix(word, "LEAF/"); ok {
			before = ""
			name = v.names["LEAF"] + "/" + inTable
		}
		words[i] = before + name
	}
	return strings.Join(words, " ")
}

// cairn runs the command. A leading "!" says that it must refuse.
func (v *verbProgram) cairn(words string) error {
	words, refused := strings.CutPrefix(words, "!")
	words = v.fill(words)
	v.log = append(v.log, "cairn "+words)
	v.ran[""]++
	c := exec.Command(v.binary, strings.Fields(words)...)
	var complaint bytes.Buffer
	c.Stderr = &complaint
	err := c.Run()
	if refused && err == nil {
		return fmt.Errorf("cairn %s: was not refused", words)
	}
	if !refused && err != nil {
		return fmt.Errorf("cairn %s: %w: %s", words, err, complaint.Bytes())
	}
	return nil
}

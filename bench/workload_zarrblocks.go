package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cairn-go/cairn/bench/data"
	"github.com/cairn-go/cairn/bench/result"
	"github.com/cairn-go/cairn/ndarray"
)

// zarrBlocks compares files of cairn whose blocks are Zarr chunks with those whose blocks are not:
// what it costs both libraries to write and read them. In these measures the peers are the files.
func (s *contest) zarrBlocks() error {
	sets, err := s.dataSets()
	if err != nil {
		return err
	}
	sets = slices.DeleteFunc(sets, func(d *data.Set) bool { return len(d.Shape) < 2 })
	for _, set := range sets {
		if err := s.c.load(set.Bytes); err != nil {
			return err
		}
		for _, codec := range s.codecs {
			for _, threads := range s.threads {
				j, err := newJob(codec, "shuffle", s.levels[0], threads, set.TypeSize, s.chunkSize)
				if err == nil {
					err = s.zarrBlocksOf(set, j)
				}
				if err != nil {
					return fmt.Errorf("%s %v: %w", set.Name, j, err)
				}
			}
		}
	}
	return nil
}

// tiled returns the shapes of partition, where chunks are whole blocks.
func tiled(set *data.Set) (chunks, blocks ndarray.Shape, err error) {
	chunks, blocks, err = partition(set)
	for i, block := range blocks {
		chunks[i] = (chunks[i] + block - 1) / block * block
	}
	return chunks, blocks, err
}

// zarrBlocksOf writes both files and lets them take turns.
func (s *contest) zarrBlocksOf(set *data.Set, j job) error {
	dir, err := os.MkdirTemp("", "cairn-bench-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	chunks, blocks, err := tiled(set)
	if err != nil {
		return err
	}
	var files []*blocksFile
	for _, name := range []string{result.PlainBlocks, result.ZarrBlocks} {
		path := filepath.Join(dir, strings.ReplaceAll(name, " ", "-"))
		side := arraySide{set: set, job: j, chunks: chunks, blocks: blocks, path: path,
			zarrBlocks: name == result.ZarrBlocks}
		files = append(files, &blocksFile{side, s, name})
	}
	defer files[0].drop()
	defer files[1].drop()
	compete := func(reader, op string, bytes int64, round func(f *blocksFile, reps int) (answer, error)) error {
		m := j.measure("zarrblocks", reader+": "+op, set)
		m.Place, m.Bytes, m.Latency = "disk", bytes, bytes < int64(len(set.Bytes))
		var contenders []contender
		for _, f := range files {
			contenders = append(contenders, contender{f.name, func(reps int) (answer, error) { return round(f, reps) }})
		}
		if err := s.compete(s.rounds, []*result.Measure{m}, contenders...); err != nil {
			return fmt.Errorf("%s, %s: %w", reader, op, err)
		}
		return nil
	}
	all := int64(len(set.Bytes))
	if err := compete(result.Cairn, "write whole", all, (*blocksFile).write); err != nil {
		return err
	}
	for _, r := range regions(set.Shape) {
		if r.put {
			continue
		}
		visit := func(f *blocksFile, reps int) (answer, error) { return f.visit(reps, r) }
		err := compete(result.Cairn, r.op, r.bytes(set.TypeSize), visit)
		if err == nil && j.threads == 1 { // as many as the C side has
			visit = func(f *blocksFile, reps int) (answer, error) { return f.visitC(reps, r) }
			err = compete(result.C, r.op, r.bytes(set.TypeSize), visit)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// A blocksFile is a file of cairn that both libraries read.
type blocksFile struct {
	arraySide
	*contest
	name string
}

// visitC reads a region with C-Blosc2.
func (f *blocksFile) visitC(reps int, r region) (answer, error) {
	if _, err := f.c.command("array-open", f.path, f.set.TypeSize, len(f.set.Shape)); err != nil {
		return answer{}, err
	}
	return f.c.command(r.verb(), reps, list(r.start), list(r.stop))
}

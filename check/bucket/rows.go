package main

import (
	"fmt"
	"hash/fnv"
	"slices"

	"github.com/cairn-go/cairn/ndarray"
)

// A commit of a process appends some rows. Each row says of which commit it is a part.
//
//	0  writer
//	1  its commit, from 0 on
//	2  attempt
//	3  row of the commit
//	4  rows of the commit
//	5  checksum, which depends on the schedule
const columns = 6

var (
	noRows    = ndarray.Shape{0, columns}
	rowChunks = ndarray.Shape{2, columns} // most commits change a chunk that has a row of another
)

// A commitID names an attempt of a commit.
type commitID struct{ Writer, Commit, Attempt int64 }

func (id commitID) rows(schedule uint64, n int) (items []int64) {
	for part := range n {
		row := []int64{id.Writer, id.Commit, id.Attempt, int64(part), int64(n)}
		items = append(append(items, row...), checksum(schedule, row))
	}
	return items
}

func checksum(schedule uint64, row []int64) int64 {
	h := fnv.New64a()
	_, _ = fmt.Fprint(h, schedule, row)
	return int64(h.Sum64())
}

// commitsIn returns the commits whose rows are in items, in order. It fails unless the commits are
// whole, each is there once, and those of each writer come one after the other.
func commitsIn(schedule uint64, items []int64) (commits []commitID, err error) {
	next := map[int64]int64{}
	for len(items) > 0 {
		if len(items) < columns || items[4] < 1 || items[4] > int64(len(items)/columns) {
			return nil, fmt.Errorf("a part of a commit: %d, of %d items", items[:min(columns, len(items))], len(items))
		}
		id := commitID{items[0], items[1], items[2]}
		size := int(items[4]) * columns
		if want := id.rows(schedule, int(items[4])); !slices.Equal(items[:size], want) {
			return nil, fmt.Errorf("rows %d, want %d", items[:size], want)
		}
		if id.Commit != next[id.Writer] {
			return nil, fmt.Errorf("commit %d of writer %d, want %d", id.Commit, id.Writer, next[id.Writer])
		}
		next[id.Writer]++
		commits = append(commits, id)
		items = items[size:]
	}
	return commits, nil
}

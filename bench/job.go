package main

import (
	"fmt"

	"github.com/cairn-go/cairn/bench/data"
	"github.com/cairn-go/cairn/bench/result"
	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/shuffle"
)

// A job is one combination of parameters, the same for every peer.
type job struct {
	codec      codecs.Codec
	filter     shuffle.Spec
	filterName string
	level      int
	threads    int
	typeSize   int
	chunkSize  int
}

func newJob(codec, filter string, level, threads, typeSize, chunkSize int) (job, error) {
	j := job{filterName: filter, level: level, threads: threads, typeSize: typeSize, chunkSize: chunkSize / typeSize * typeSize}
	var err error
	if j.codec, err = codecs.ParseCodec(codec, nil); err != nil {
		return j, err
	}
	j.filter, err = shuffle.ParseSpec(filter)
	return j, err
}

// optionLevel returns the level for cairn's options, where 0 means the default.
func (j job) optionLevel() int {
	if j.level == 0 {
		return -1
	}
	return j.level
}

func (j job) filters() []shuffle.Spec { return []shuffle.Spec{j.filter} }

// numbers returns the parameters in the order of the C side: codec, level, filter, type size,
// threads.
func (j job) numbers() []any {
	return []any{j.codec.ID(), j.level, j.filter.ID, j.typeSize, j.threads}
}

// measure returns a new measure of this job.
func (j job) measure(workload, op string, s *data.Set) *result.Measure {
	return &result.Measure{Workload: workload, Op: op, Data: s.Name, Codec: j.codec.String(),
		Level: j.level, Filter: j.filterName,
		Threads: j.threads, TypeSize: j.typeSize, Bytes: int64(len(s.Bytes))}
}

// String names a combination.
func (j job) String() string {
	return fmt.Sprintf("%s-%d %s %d threads", j.codec, j.level, j.filterName, j.threads)
}

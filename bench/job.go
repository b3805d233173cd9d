package main

import (
	"fmt"

	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/shuffle"
)

// A job is one combination of parameters, the same for both sides.
type job struct {
	layer      string
	codec      codecs.Codec
	filter     shuffle.Spec
	filterName string
	level      int
	threads    int
	typeSize   int
	chunkSize  int
}

func newJob(layer, codec, filter string, level, threads, typeSize, chunkSize int) (job, error) {
	j := job{layer: layer, filterName: filter, level: level, threads: threads, typeSize: typeSize, chunkSize: chunkSize / typeSize * typeSize}
	if layer != "frame" && layer != "chunk" {
		return j, fmt.Errorf("unknown layer %q", layer)
	}
	var err error
	if j.codec, err = codecs.ParseCodec(codec); err != nil {
		return j, err
	}
	j.filter, err = shuffle.ParseSpec(filter)
	return j, err
}

// String names a combination.
func (j job) String() string {
	return fmt.Sprintf("%s-%d %s %d threads", j.codec, j.level, j.filterName, j.threads)
}

// optionLevel gives the level as cairn's options spell it: there 0 means the default.
func (j job) optionLevel() int {
	if j.level == 0 {
		return -1
	}
	return j.level
}

// timing is one round: seconds of the fastest repetition, and the compressed size.
type timing struct {
	Compress   float64 `json:"compress"`
	Decompress float64 `json:"decompress"`
	CBytes     int64   `json:"cbytes"`
}

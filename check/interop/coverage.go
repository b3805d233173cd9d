package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/shuffle"
)

// coverage counts the cases of each part of the format in each direction.
type coverage struct {
	counts map[string]*counts
}

// counts are the cases of one part of the format: written by the real library and read by cairn,
// whole and in parts, and the reverse.
type counts struct {
	theirs, ours int
	parts        int // of ours, those that the real library has read in parts too
}

// defective lists the features with which the real library cannot read parts of data, or reads them
// wrongly (docs/support.md).
var defective = []string{"dictionary, lz4", "dictionary, lz4hc", "dictionary, zstd", "filter delta", rareDelta, "codec zfp_rate",
	rareUninit, rareVariable}

// features lists all parts of the format that cases should have.
func features() []string {
	all := []string{
		"level 0", "split 1", "split 2", "split 3", "split 4", "items of 255 bytes", rareWide, "fill zeros", "fill nan", "fill value", rareUninit, rareVariable, rareBlosc1, rareMeta, rareDelta,
		"dictionary, lz4", "dictionary, lz4hc", "dictionary, zstd", "blocks of variable length", "blocks of variable length with a dictionary",
		"ndlz, cells of 4", "ndlz, cells of 8", "contiguous", "sparse", "metalayers of variable length", "big-endian items", "structured items", rareUserCodec, rareUserFilter,
	}

	for dims := range 7 {
		all = append(all, fmt.Sprintf("%d dimensions", dims))
	}
	for _, row := range codecs.Rows() {
		if !row.Legacy && row.ID != codecs.Numeric.ID() { // only cairn has it
			all = append(all, "codec "+row.Name)
		}
	}
	for _, row := range shuffle.Rows() {
		if !row.Legacy {
			all = append(all, "filter "+row.Name)
		}
	}

	slices.Sort(all)
	return all
}

// features lists the parts of the format that a case has.
func (s *spec) features() []string {
	p := &s.params
	is := map[string]bool{
		"level 0": p.Level == 0, fmt.Sprint("split ", p.Split): p.Split > 0, "items of 255 bytes": s.typeSize == 255, rareWide: s.typeSize > 255, "fill " + s.fill: s.fill != "" && s.fill != "uninit",
		"blocks of variable length": s.vl, "blocks of variable length with a dictionary": s.vl && p.Dict,
		"contiguous": !s.sparse && s.rare != rareBlosc1, "sparse": s.sparse && s.rare != rareBlosc1, "metalayers of variable length": len(s.vlmeta) > 0,
		"big-endian items": strings.HasPrefix(s.dtype, ">"), "structured items": strings.HasPrefix(s.dtype, "["),
		fmt.Sprint(len(s.shape), " dimensions"): s.array || s.numbers, s.rare: slices.Contains([]string{rareWide, rareUninit, rareVariable, rareBlosc1, rareMeta, rareDelta, rareUserCodec, rareUserFilter}, s.rare),
		fmt.Sprintf("ndlz, cells of %d", p.CodecMeta): p.Codec == codecs.NDLZ(4).ID(),
	}

	if row, err := (*codecs.Registry)(nil).Lookup(p.Codec); err == nil {
		is["codec "+row.Name] = true
		is["dictionary, "+row.Name] = p.Dict
	}

	none := true
	for _, f := range p.Filters {
		if row, err := (*shuffle.Registry)(nil).Lookup(shuffle.ID(f.ID)); err == nil && f.ID != 0 {
			is["filter "+row.Name] = true
			none = false
		}
	}
	is["filter none"] = none

	var out []string
	for name, yes := range is {
		if yes {
			out = append(out, name)
		}
	}
	return out
}

// add counts a case without differences. If both sides write in it, it counts for both.
func (c *coverage) add(s *spec) {
	if s.refused {
		return
	}

	has := s.features()
	cannot := slices.ContainsFunc(has, func(name string) bool { return slices.Contains(defective, name) })
	parts := s.vl || !cannot && (s.array || s.numbers || s.rare != "")

	for _, name := range has {
		n := c.counts[name]
		if n == nil {
			n = &counts{}
			c.counts[name] = n
		}
		if s.ours || s.numbers {
			n.ours++
			if parts {
				n.parts++
			}
		}
		if !s.ours || s.numbers {
			n.theirs++
		}
	}
}

// print writes a table of the coverage.
func (c *coverage) print(w io.Writer) {
	fmt.Fprintf(w, "%-44s %24s %24s %24s\n", "cases", "C writes, cairn reads", "cairn writes, C reads", "C reads parts")
	for _, name := range features() {
		n := c.counts[name]
		if n == nil {
			n = &counts{}
		}
		parts := fmt.Sprint(n.parts)
		if n.parts == 0 && slices.Contains(defective, name) {
			parts = "cannot"
		}
		fmt.Fprintf(w, "%-44s %24d %24d %24s\n", name, n.theirs, n.ours, parts)
	}
}

// complete fails if a part of the format had no case in one direction.
func (c *coverage) complete() error {
	var missing []string
	for _, name := range features() {
		if n := c.counts[name]; n == nil || n.ours == 0 || n.theirs == 0 || n.parts == 0 && !slices.Contains(defective, name) {
			missing = append(missing, name)
		}
	}
	if len(missing) > 0 {
		return fmt.Errorf("no case in some direction of: %s", strings.Join(missing, "; "))
	}
	return nil
}

package result

import (
	"encoding/csv"
	"fmt"
	"strconv"
	"strings"
)

// csvColumns are the columns of [Report.CSV].
var csvColumns = []string{"workload", "operation", "data", "place", "codec", "level", "filter",
	"threads", "typesize", "chunks", "bytes", "peer", "round", "seconds", "compressed"}

// CSV renders every round of every peer, one line each.
func (r *Report) CSV() string {
	var b strings.Builder
	w := csv.NewWriter(&b)
	// writes to memory cannot fail
	write := func(cells ...string) { w.Write(cells) }
	write(csvColumns...)
	for _, m := range r.Measures {
		for _, s := range m.Sides {
			for i, t := range s.Seconds {
				write(m.Workload, m.Op, m.Data, m.Place, m.Codec, strconv.Itoa(m.Level), m.Filter, strconv.Itoa(m.Threads), strconv.Itoa(m.TypeSize),
					strconv.FormatInt(m.Count, 10), strconv.FormatInt(m.Bytes, 10), s.Peer, strconv.Itoa(i), fmt.Sprintf("%.9f", t), strconv.FormatInt(s.Size, 10))
			}
		}
	}
	w.Flush()
	return b.String()
}

package result

import "time"

// A Report is a whole run: what ran where, and everything it measured.
type Report struct {
	Command  string // the command line that gives the same run elsewhere
	Machine  string
	Versions []string // "name version", of everything that took part
	Missing  []string // peers that took no part, and why
	Started  time.Time
	Took     time.Duration
	Load     string // of the machine, when the run began and ended
	Rounds   int
	Measures []*Measure
	Figures  []Figure
	Targets  []Outcome
}

// A Figure is a number of cairn's alone, such as allocations.
type Figure struct {
	Name  string
	What  string // what it was measured on
	Value float64
	Unit  string
}

// An Outcome says whether a target was reached.
type Outcome struct {
	Target   string
	Want     string
	Got      string // "not measured" if the run has nothing to say
	Samples  int    // measures that the value is the mean of
	Measured bool
	Reached  bool
}

// Select returns the measures for which keep is true.
func (r *Report) Select(keep func(*Measure) bool) []*Measure {
	var out []*Measure
	for _, m := range r.Measures {
		if keep(m) {
			out = append(out, m)
		}
	}
	return out
}

// Of returns the measures of one workload.
func (r *Report) Of(workload string) []*Measure {
	return r.Select(func(m *Measure) bool { return m.Workload == workload })
}

// Workloads returns the names of what was run, in that order.
func (r *Report) Workloads() []string {
	return distinct(r.Measures, func(m *Measure) string { return m.Workload })
}

// distinct returns the values that key takes, in the order of their first appearance.
func distinct(measures []*Measure, key func(*Measure) string) []string {
	var out []string
	seen := map[string]bool{}
	for _, m := range measures {
		if k := key(m); !seen[k] {
			seen[k] = true
			out = append(out, k)
		}
	}
	return out
}

// Codecs returns the codecs of measures, in the order of their first appearance.
func Codecs(measures []*Measure) []string {
	return distinct(measures, func(m *Measure) string { return m.Codec })
}

// DataSets returns the data sets of measures, in the order of their first appearance.
func DataSets(measures []*Measure) []string {
	return distinct(measures, func(m *Measure) string { return m.Data })
}

// Ops returns the operations of measures, in the order of their first appearance.
func Ops(measures []*Measure) []string {
	return distinct(measures, func(m *Measure) string { return m.Op })
}

// Peers returns the peers that measures have, in the order of their first appearance.
func Peers(measures []*Measure) []string {
	var out []string
	seen := map[string]bool{}
	for _, m := range measures {
		for _, s := range m.Sides {
			if !seen[s.Peer] {
				seen[s.Peer] = true
				out = append(out, s.Peer)
			}
		}
	}
	return out
}

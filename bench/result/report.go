package result

import "time"

// A Report is the result of a whole run, with its command and machine.
type Report struct {
	Command  string // command line that repeats the run on another machine
	Machine  string
	Versions []string // "name version" of all peers and their libraries
	Missing  []string // peers that did not take part, and why
	Started  time.Time
	Took     time.Duration
	Load     string // load of the machine at the start and the end
	Rounds   int
	Measures []*Measure
	Figures  []Figure
	Targets  []Outcome
}

// A Figure is a number that is not compared within rounds, such as allocations.
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
	Got      string // "not measured" if the run has no measures for it
	Samples  int    // number of measures in the mean
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

// Workloads returns the names of the workloads, in the order in which they ran.
func (r *Report) Workloads() []string {
	return distinct(r.Measures, func(m *Measure) string { return m.Workload })
}

// distinct returns the values of key, in the order of their first appearance.
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

// Peers returns the peers of measures, in the order of their first appearance.
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

package result

import (
	"slices"
	"time"
)

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
	Summary  []Distribution
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
	names, _ := grouped(r.Measures, func(m *Measure) string { return m.Workload })
	return names
}

// grouped returns the measures by key, and the keys in the order of their first appearance.
func grouped[K comparable](measures []*Measure, key func(*Measure) K) (order []K, of map[K][]*Measure) {
	of = map[K][]*Measure{}
	for _, m := range measures {
		k := key(m)
		if of[k] == nil {
			order = append(order, k)
		}
		of[k] = append(of[k], m)
	}
	return order, of
}

// Ops returns the operations of measures, in the order of their first appearance.
func Ops(measures []*Measure) []string {
	ops, _ := grouped(measures, func(m *Measure) string { return m.Op })
	return ops
}

// Peers returns the peers of measures, in the order of their first appearance.
func Peers(measures []*Measure) []string {
	var out []string
	for _, m := range measures {
		for _, s := range m.Sides {
			if !slices.Contains(out, s.Peer) {
				out = append(out, s.Peer)
			}
		}
	}
	return out
}

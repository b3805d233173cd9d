// Package result holds the measurements of a benchmark run, and converts them to statistics, text
// and CSV.
package result

// The names of the peers in reports and charts.
const (
	Cairn       = "cairn"
	C           = "C-Blosc2"
	Python      = "python-blosc2"
	Zarr        = "zarr-python"
	Zarrs       = "zarrs"
	TensorStore = "TensorStore"
	HDF5        = "h5py"
	NetCDF4     = "netCDF4"
	NumPy       = "numpy"
	CairnOne    = "cairn, 1 goroutine"
	XArray      = "xarray"
	CDO         = "cdo"
	NCO         = "NCO"
	Plain       = "plain Go"
	Memcpy      = "memcpy"
	Write       = "plain write"
)

// Names lists the peers in the order in which they are shown.
func Names() []string {
	return []string{C, Cairn, Python, TensorStore, Zarr, Zarrs, HDF5, NetCDF4, XArray, CDO, NCO,
		NumPy, CairnOne, Plain, Memcpy, Write}
}

// A Measure is one operation on one data set with one choice of parameters, timed for several peers
// in the same rounds.
type Measure struct {
	Workload string // name of the workload: "frames", "filters", …
	Op       string // operation of the workload: "compress", "read plane 0", …
	Data     string // name of the data set
	Place    string // where the result is stored: "", "memory" or "disk"
	Codec    string
	Level    int
	Filter   string
	Threads  int
	TypeSize int
	Count    int64 // number of chunks, if the cost is measured against it; else 0
	Bytes    int64 // uncompressed bytes per operation
	Latency  bool  // report the time of one operation, not bytes per second
	Sides    []Side
}

// A Side is the result of one peer: seconds for one operation, a value per round, and the
// compressed size of all data (0 if it does not apply).
type Side struct {
	Peer    string
	Seconds []float64
	Size    int64 // bytes of the result; for appends of the workload users, bytes written
}

// Side returns the result of a peer, or nil if it did not take part.
func (m *Measure) Side(peer string) *Side {
	for i := range m.Sides {
		if m.Sides[i].Peer == peer {
			return &m.Sides[i]
		}
	}
	return nil
}

// Add appends one round of one peer.
func (m *Measure) Add(peer string, seconds float64, size int64) {
	s := m.Side(peer)
	if s == nil {
		m.Sides = append(m.Sides, Side{Peer: peer})
		s = &m.Sides[len(m.Sides)-1]
	}
	s.Seconds = append(s.Seconds, seconds)
	s.Size = size
}

// Ratio returns the speed of one peer relative to another: the spread, over the rounds, of the
// ratio within a round. It reports false if one of the two is missing.
func (m *Measure) Ratio(peer, base string) (Spread, bool) {
	a := m.Side(peer)
	b := m.Side(base)
	if a == nil || b == nil {
		return Spread{}, false
	}
	var ratios []float64
	for i := range min(len(a.Seconds), len(b.Seconds)) {
		ratios = append(ratios, b.Seconds[i]/a.Seconds[i])
	}
	return SpreadOf(ratios), len(ratios) > 0
}

// SizeRatio returns the compressed size of one peer divided by another's, or false if one is not
// known.
func (m *Measure) SizeRatio(peer, base string) (float64, bool) {
	a := m.Side(peer)
	b := m.Side(base)
	if a == nil || b == nil || a.Size == 0 || b.Size == 0 {
		return 0, false
	}
	return float64(a.Size) / float64(b.Size), true
}

// Seconds returns the median time of one operation, or false if the peer did not take part.
func (m *Measure) Seconds(peer string) (float64, bool) {
	s := m.Side(peer)
	if s == nil || len(s.Seconds) == 0 {
		return 0, false
	}
	return SpreadOf(s.Seconds).Median, true
}

// Speed returns the median speed in MB (10^6 bytes) per second.
func (m *Measure) Speed(peer string) (float64, bool) {
	t, ok := m.Seconds(peer)
	return float64(m.Bytes) / t / 1e6, ok
}

package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/cairn-go/cairn/bench/data"
	"github.com/cairn-go/cairn/bench/result"
)

// peers lists the peers for the flag -peers. C-Blosc2 always takes part.
func peers() []peer {
	return []peer{
		{"python", result.Python, true, []string{"frames", "users", "reads"}},
		{"numpy", result.NumPy, true, []string{"reads"}},
		{"zarr", result.Zarr, true, []string{"users", "zarr", "reads"}},
		{"zarrs", result.Zarrs, true, []string{"users", "zarr", "reads"}},
		{"tensorstore", result.TensorStore, true, []string{"users", "zarr", "reads", "boxes"}},
		{"h5py", result.HDF5, true, []string{"users", "hdf5", "reads"}},
		{"netcdf4", result.NetCDF4, true, []string{"hdf5", "reads"}},
		{"plain", result.Plain, false, []string{"frames"}},
	}
}

type peer struct {
	flag      string
	name      string // in reports
	python    bool   // it runs in peer/peer.py
	workloads []string
}

func (p *peer) in(workload string) bool { return slices.Contains(p.workloads, workload) }

// peerFlags returns the possible values of -peers.
func peerFlags() []string {
	var all []string
	for _, p := range peers() {
		all = append(all, p.flag)
	}
	return all
}

// beginPython starts the Python side, if any of its libraries takes part.
func (s *contest) beginPython() error {
	asked := slices.DeleteFunc(peers(), func(p peer) bool { return !p.python || !slices.Contains(s.peers, p.flag) })
	if len(asked) == 0 {
		return nil
	}

	if s.config.python == "" || s.peer == "" {
		for _, p := range asked {
			s.report.Missing = append(s.report.Missing, p.name+": no interpreter given")
		}
		return nil
	}

	p, err := startProcess("python", s.config.python, s.peer)
	if err != nil {
		return err
	}
	s.python = &snake{p}
	versions, err := s.python.versions(`{"do": "versions"}`)
	if err != nil {
		return err
	}
	s.report.Versions = append(s.report.Versions, versions...)

	for _, p := range asked {
		s.has[p.flag] = slices.ContainsFunc(versions, func(v string) bool { return strings.HasPrefix(v, p.name+" ") })
		if !s.has[p.flag] {
			s.report.Missing = append(s.report.Missing, p.name+": not installed for the interpreter given")
		}
	}
	return nil
}

// A driver is the running C side; driver/*.c describe its commands.
type driver struct{ *process }

// load passes data to the driver for later requests.
func (d *driver) load(data []byte) error {
	return inFile(data, func(path string) error {
		var size struct {
			Size int `json:"size"`
		}
		if err := d.ask(&size, "load "+path); err != nil {
			return err
		}
		if size.Size != len(data) {
			return fmt.Errorf("driver took %d of %d bytes", size.Size, len(data))
		}
		return nil
	})
}

// command sends a request of words and numbers.
func (d *driver) command(words ...any) (answer, error) {
	var a answer
	err := d.ask(&a, strings.TrimSuffix(fmt.Sprintln(words...), "\n"))
	return a, err
}

// A snake is the running Python side, peer/peer.py.
type snake struct{ *process }

func (p *snake) load(s *data.Set) error {
	return inFile(s.Bytes, func(path string) error {
		var size struct {
			Size int `json:"size"`
		}
		return p.request(&size, map[string]any{"do": "load", "path": path, "dtype": s.DType, "shape": s.Shape})
	})
}

func (p *snake) request(to any, r map[string]any) error {
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return p.ask(to, string(text))
}

// timed sends a request for a job, with further fields.
func (p *snake) timed(j job, reps int, fields map[string]any) (answer, error) {
	r := map[string]any{"codec": j.codec.String(), "level": j.level, "filter": j.filterName, "typesize": j.typeSize, "threads": j.threads,
		"chunk": j.chunkSize, "reps": reps}
	maps.Copy(r, fields)
	var a answer
	err := p.request(&a, r)
	return a, err
}

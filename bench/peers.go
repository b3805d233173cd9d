package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"
)

// A driver is the running C side; driver/*.c describe what it understands.
type driver struct{ *process }

// load hands bytes over; later requests are about them.
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

// command sends words and numbers.
func (d *driver) command(words ...any) (answer, error) {
	var a answer
	err := d.ask(&a, strings.TrimSuffix(fmt.Sprintln(words...), "\n"))
	return a, err
}

// A snake is the running Python side, peer/peer.py.
type snake struct{ *process }

func (p *snake) load(s *dataSet) error {
	return inFile(s.data, func(path string) error {
		var size struct {
			Size int `json:"size"`
		}
		return p.request(&size, map[string]any{"do": "load", "path": path, "dtype": s.dtype, "shape": s.shape})
	})
}

func (p *snake) request(to any, r map[string]any) error {
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return p.ask(to, string(text))
}

// timed sends a request about a job, with further fields.
func (p *snake) timed(j job, reps int, fields map[string]any) (answer, error) {
	r := map[string]any{"codec": j.codec.String(), "level": j.level, "filter": j.filterName, "typesize": j.typeSize, "threads": j.threads,
		"chunk": j.chunkSize, "reps": reps}
	maps.Copy(r, fields)
	var a answer
	err := p.request(&a, r)
	return a, err
}

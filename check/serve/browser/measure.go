package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/cairn-go/cairn/ndarray"
)

// measureAll measures how long pictures of large arrays take, from the click to the pixels. The
// arrays are made in dir unless they are there.
func measureAll(b *browser, dir string) error {
	if err := makeLarge(dir); err != nil {
		return err
	}
	w := &world{dir: dir}
	if err := w.start("127.0.0.1:0"); err != nil {
		return err
	}
	err := all(
		func() error { return warm(dir) },
		func() error { return measureCube(b, w) },
		func() error { return measurePlane(b, w) },
		func() error { return measurePan(b, w) },
	)
	return errors.Join(err, w.stop())
}

// makeLarge makes a cube of 1024³ and a plane of 32768² items, 4 GiB each: smooth values with
// noise, as measurements have it.
func makeLarge(dir string) error {
	value := func(i, k int64) float32 {
		noise := uint32(i*2654435761+k*40503) * 2246822519 >> 24
		return float32(math.Round((math.Sin(float64(i)/97)*math.Cos(float64(k)/131)*40+float64(noise)/256)*100) / 100)
	}
	for _, a := range []struct {
		name  string
		shape ndarray.Shape
	}{{"cube.b2nd", ndarray.Shape{1024, 1024, 1024}}, {"plane.b2nd", ndarray.Shape{32768, 32768}}} {
		path := filepath.Join(dir, a.name)
		if _, err := os.Stat(path); err == nil {
			continue
		} else if !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		fill := func(dst []float32, start, stop []int64) error {
			n := len(start) - 1
			width := int(stop[n] - start[n])
			rows := stop[n-1] - start[n-1]
			row := make([]float32, width)
			for r := range len(dst) / width {
				i := start[n-1] + int64(r)%rows
				if n == 2 {
					i += 1024 * (start[0] + int64(r)/rows)
				}
				for k := range row {
					row[k] = value(i, start[n]+int64(k))
				}
				copy(dst[r*width:], row)
			}
			return nil
		}
		made, err := ndarray.FromBoxes(context.Background(), path, a.shape, fill, nil)
		if err != nil {
			return err
		}
		if err := made.Close(); err != nil {
			return err
		}
	}
	return nil
}

// warm reads the files, so that they are in memory.
func warm(dir string) error {
	for _, name := range []string{"cube.b2nd", "plane.b2nd"} {
		raw, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return err
		}
		fmt.Printf("%s: %.2f GB stored\n", name, float64(len(raw))/1e9)
	}
	return nil
}

// first opens a link, and returns the milliseconds until there is a picture, and until it is exact.
// The page is there already, as it is for a reader who has clicked.
func (t *tab) first(w *world, path string) (picture, exact float64, err error) {
	err = all(
		func() error { return t.open(w.url("data")) },
		func() error { return t.wait(`document.querySelector('.entries a')`) },
	)
	if err != nil {
		return 0, 0, err
	}
	var got []float64
	err = t.eval(`(async () => {
		const began = performance.now(), frame = () => new Promise(requestAnimationFrame);
		let first = 0;
		location.hash = '#/`+path+`';
		for (;;) {
			await frame();
			const state = document.querySelector('.plane')?.dataset.state;
			if (!first && (state === 'sampled' || state === 'exact')) { await frame(); first = performance.now() - began; }
			if (state === 'exact') { await frame(); return [first, performance.now() - began]; }
			if (performance.now() - began > 50000) throw new Error('no picture');
		}
	})()`, &got)
	if err != nil || len(got) != 2 {
		return 0, 0, fmt.Errorf("%s: %w", path, err)
	}
	return got[0], got[1], nil
}

func measureCube(b *browser, w *world) error {
	for axis, planes := range []string{"y=1&x=2", "y=0&x=2", "y=0&x=1"} {
		var firsts, exacts []float64
		for i := range 7 { // other planes each time, none of which has been read
			t, err := newTab(b, w.host)
			if err != nil {
				return err
			}
			at := []int{0, 0, 0}
			at[axis] = 100 + 130*i
			err = t.size(1280, 900, 1, false)
			var first, exact float64
			if err == nil {
				first, exact, err = t.first(w, fmt.Sprintf("data/cube.b2nd?%s&at=%d,%d,%d", planes, at[0], at[1], at[2]))
			}
			if err := errors.Join(err, t.fault(), t.call("Page.close", nil, nil)); err != nil {
				return err
			}
			firsts, exacts = append(firsts, first), append(exacts, exact)
		}
		slices.Sort(firsts)
		slices.Sort(exacts)
		fmt.Printf("1024³, a plane across axis %d: first picture after %.0f ms (median; %.0f the slowest of 7), exact after %.0f (%.0f)\n",
			axis, firsts[3], firsts[6], exacts[3], exacts[6])
	}
	return nil
}

func measurePlane(b *browser, w *world) error {
	var firsts, exacts []float64
	for range 5 {
		if err := errors.Join(w.stop(), w.start("127.0.0.1:0")); err != nil { // with empty caches
			return err
		}
		t, err := newTab(b, w.host)
		if err != nil {
			return err
		}
		if err := t.size(1280, 900, 1, false); err != nil {
			return err
		}
		first, exact, err := t.first(w, "data/plane.b2nd")
		if err != nil {
			return err
		}
		_, again, err := t.first(w, "data/plane.b2nd?map=ember")
		if err := errors.Join(err, t.fault(), t.call("Page.close", nil, nil)); err != nil {
			return err
		}
		fmt.Printf("32768²: sampled after %.0f ms, exact after %.0f ms, again after %.0f ms\n", first, exact, again)
		firsts, exacts = append(firsts, first), append(exacts, exact)
	}
	slices.Sort(firsts)
	slices.Sort(exacts)
	fmt.Printf("32768²: sampled after %.0f ms, exact after %.0f ms (medians of 5)\n", firsts[2], exacts[2])
	return nil
}

// measurePan pans over cached tiles, and takes the frames from Chromium's trace.
func measurePan(b *browser, w *world) error {
	t, err := newTab(b, w.host)
	if err != nil {
		return err
	}
	err = all(
		func() error { return t.size(1280, 900, 1, false) },
		func() error { return t.openArray(w, "data/plane.b2nd?view=16384,16384,0.25,0.25") },
	)
	if err != nil {
		return err
	}
	at, err := t.stage()
	if err != nil {
		return err
	}
	x, y := float64(at.Min.X+at.Max.X)/2, float64(at.Min.Y+at.Max.Y)/2
	pan := func() error {
		press := map[string]any{"button": "left", "buttons": 1, "clickCount": 1}
		if err := t.mouse("mousePressed", x, y, press); err != nil {
			return err
		}
		// A mouse moves 125 times a second, whether the page has drawn or not.
		tick := time.NewTicker(8 * time.Millisecond)
		defer tick.Stop()
		for i := range 500 {
			<-tick.C
			a := float64(i) / 500 * 2 * math.Pi
			move := map[string]any{"type": "mouseMoved", "x": x + 120*math.Sin(a), "y": y + 90*(1-math.Cos(a)), "button": "left", "buttons": 1}
			if err := t.b.post(t.session, "Input.dispatchMouseEvent", move); err != nil {
				return err
			}
		}
		return t.mouse("mouseReleased", x, y, press)
	}
	if err := all(pan, t.settled, pan, t.settled); err != nil { // the tiles come
		return err
	}
	t.mu.Lock()
	t.traceEnd = make(chan struct{})
	t.mu.Unlock()
	err = t.b.call("", "Tracing.start", map[string]any{"transferMode": "ReportEvents",
		"traceConfig": map[string]any{"includedCategories": []string{"devtools.timeline", "disabled-by-default-devtools.timeline"}}}, nil)
	if err != nil {
		return err
	}
	if err := pan(); err != nil {
		return err
	}
	if err := t.b.call("", "Tracing.end", nil, nil); err != nil {
		return err
	}
	<-t.traceEnd
	t.report()
	return t.fault()
}

// report tells of the frames of a trace: those in which the page has drawn.
func (t *tab) report() {
	type event struct {
		Name string
		Ph   string
		Ts   float64
		Dur  float64
		Pid  int
		Tid  int
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	var frames []event
	var scripts []event
	for _, raw := range t.traced {
		var e event
		if json.Unmarshal(raw, &e) != nil || e.Ph != "X" {
			continue
		}
		switch e.Name {
		case "FireAnimationFrame":
			frames = append(frames, e)
		case "FunctionCall":
			scripts = append(scripts, e)
		}
	}
	slices.SortFunc(frames, func(a, b event) int { return int(a.Ts - b.Ts) })
	var gaps, script []float64
	for i := 1; i < len(frames); i++ {
		from, to := frames[i-1].Ts, frames[i].Ts
		gaps = append(gaps, (to-from)/1000)
		sum := 0.0
		for _, s := range scripts {
			if s.Ts >= from && s.Ts < to {
				sum += s.Dur / 1000
			}
		}
		script = append(script, sum)
	}
	slices.Sort(gaps)
	slices.Sort(script)
	at := func(list []float64, part float64) float64 {
		return list[min(len(list)-1, int(part*float64(len(list))))]
	}
	if len(gaps) == 0 {
		fmt.Println("panning: the trace has no frames")
		return
	}
	fmt.Printf("panning: %d frames, intervals: median %.1f ms, 95 %% at most %.1f ms; script per frame: median %.1f ms, 95 %% at most %.1f ms, all at most %.1f ms\n",
		len(gaps), at(gaps, 0.5), at(gaps, 0.95), at(script, 0.5), at(script, 0.95), script[len(script)-1])
}

package main

import (
	"errors"
	"fmt"
	"image"
	"math"
	"strings"

	"github.com/cairn-go/cairn/internal/show/chart"
)

type step struct {
	name string
	do   func(t *tab, w *world) error
}

func steps() []step {
	return []step{
		{"browse", browse}, {"dimensions", dimensions}, {"pixels", pixels}, {"pan and zoom", panAndZoom}, {"step", stepThrough},
		{"plot", plot}, {"download", download}, {"share", share}, {"errors", errorPages}, {"packed", packed},
		{"kinds", func(t *tab, w *world) error { return lookAtKinds(t, w, false, "") }}, {"grow", grow}, {"compare", compare},
		{"large", large}, {"phone", phone}, {"dark", dark}, {"keyboard", keyboard}, {"audit", auditAll},
	}
}

// shown is true once a picture shows all that there is.
const shown = `document.querySelector('.plane')?.dataset.state === 'exact'`

func (t *tab) openArray(w *world, fragment string) error {
	_ = t.open(w.url(fragment)) // a tab that failed does nothing more
	// The array before this one may be there still.
	path, _, _ := strings.Cut(fragment, "?")
	name := path[strings.LastIndexByte(path, '/')+1:]
	return all(t.wait(fmt.Sprintf(`document.querySelector('h1')?.textContent === %q`, name)), t.settled())
}

// settled waits until the picture is there, and drawn.
func (t *tab) settled() error {
	return all(
		t.wait(shown),
		t.eval(`new Promise(r => requestAnimationFrame(() => requestAnimationFrame(() => r(1))))`, nil),
	)
}

// all returns the first error of some actions, in their order. A tab does nothing after it failed.
func all(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

func check(ok bool, format string, args ...any) error {
	if ok {
		return nil
	}
	return fmt.Errorf(format, args...)
}

func browse(t *tab, w *world) error {
	return all(
		t.open(w.url("")),
		t.wait(`document.querySelector('.entries a')?.textContent.includes('data')`),
		t.click(".entries a"),
		t.wait(`document.querySelectorAll('.entries a').length >= 12`),
		t.wait(`[...document.querySelectorAll('.entries a')].some(a => /dims3.b2nd.*4 × 90 × 130/.test(a.textContent))`),

		t.click("input[type=search]"),
		t.call("Input.insertText", map[string]any{"text": "needle"}, nil),
		t.wait(`document.querySelectorAll('.entries a').length === 1`),
		t.wait(`document.querySelector('mark')?.textContent === 'needle'`),
		t.wait(`location.hash === '#/data?q=needle'`),
		t.press("ArrowDown", "Enter"),
		t.settled(),
		t.wait(`location.hash.startsWith('#/data/more/deep/needle.b2nd')`),

		t.click(`#crumbs a[href="#/data/more"]`),
		t.wait(`document.querySelector('.entries a')?.textContent.includes('deep')`),
		t.eval(`history.back()`, nil),
		t.settled(),

		t.openArray(w, "data/climate.b2z/t2m"),
		t.wait(`document.querySelector('.coordinate').textContent === '2026-01-01 00:00'`),
		t.wait(`document.querySelector('.side').textContent.includes('air temperature')`),
	)
}

func dimensions(t *tab, w *world) error {
	for n := range 6 {
		var sliders, canvases int
		err := all(
			t.openArray(w, fmt.Sprintf("data/dims%d.b2nd", n)),
			t.eval(`document.querySelectorAll('.dimension').length`, &sliders),
			t.eval(`document.querySelectorAll('.stage canvas').length`, &canvases),
		)
		if err != nil {
			return err
		}
		want := [6][2]int{{}, {}, {0, 1}, {1, 1}, {2, 1}, {3, 1}}[n]
		if sliders != want[0] || canvases != want[1] {
			return fmt.Errorf("%d dimensions: %d sliders, %d pictures", n, sliders, canvases)
		}
	}

	return all(
		t.openArray(w, "data/dims1.b2nd"),
		t.wait(`document.querySelector('.series path.line').getAttribute('d').length > 100`),
		t.openArray(w, "data/dims0.b2nd"),
		t.wait(`document.querySelector('.single').textContent === '0'`),
		t.openArray(w, "data/texts.b2nd"),
		t.wait(`document.querySelector('.table').textContent.includes('<b>slate</b>')`),
		t.openArray(w, "data/records.b2nd"),
		t.wait(`document.querySelectorAll('.table tbody tr').length === 50`),
		t.click(`button[aria-label="Further rows"]`),
		t.wait(`document.querySelector('.table tbody td').textContent === '50'`),
		t.wait(`location.hash.endsWith('row=50')`),

		// What a view has to save once the reader goes elsewhere does not undo that.
		t.openArray(w, "data/dims1.b2nd"),
		t.eval(`(() => {
			document.querySelector('button[aria-label^="Zoom in"]').click();
			for (const began = performance.now(); performance.now() - began < 400;);
			location.hash = '#/data/dims2.b2nd';
		})()`, nil),
		t.wait(`document.querySelector('h1')?.textContent === 'dims2.b2nd'`),
		t.settled(),
	)
}

// stage returns where the first picture is.
func (t *tab) stage() (image.Rectangle, error) {
	var at []float64
	err := t.eval(`(() => { const e = document.querySelector('.stage canvas'); e.scrollIntoView({block: 'nearest'});
		const r = e.getBoundingClientRect(); return [r.left, r.top, r.right, r.bottom] })()`, &at)
	if err != nil || len(at) != 4 {
		return image.Rectangle{}, fmt.Errorf("no picture: %w", err)
	}
	return image.Rect(int(at[0]), int(at[1]), int(at[2]), int(at[3])), nil
}

// stageOf opens an array, and returns where its picture is.
func (t *tab) stageOf(w *world, fragment string) (image.Rectangle, error) {
	_ = t.openArray(w, fragment) // a tab that failed has no stage either
	return t.stage()
}

// colourAt compares a pixel of the screen with a place of a colour map.
func (t *tab) colourAt(x, y int, mapName string, at float64) error {
	m, _, err := t.shot()
	if err != nil {
		return err
	}
	c, _ := chart.ColoursNamed(mapName)
	want := c.At(at)
	r, g, b, _ := m.At(x, y).RGBA()
	far := math.Abs(float64(r>>8)-float64(want.R)) + math.Abs(float64(g>>8)-float64(want.G)) + math.Abs(float64(b>>8)-float64(want.B))
	return t.check(far <= 6, "pixel %d, %d is %d %d %d, want %v", x, y, r>>8, g>>8, b>>8, want)
}

// pixels looks for the halves of an array on the screen, along every pair of axes.
func pixels(t *tab, w *world) error {
	for _, c := range []struct {
		query       string
		left, right float64 // or above and below
		upright     bool
	}{
		{"map=lagoon&lo=0&hi=1", 0, 1, false}, {"map=lagoon&lo=0&hi=1&at=2,0,0", 1, 0, false},
		{"map=ember&lo=0&hi=1&rev=1", 1, 0, false}, {"map=lagoon&lo=0&hi=1&y=2&x=1", 0, 1, true},
		{"map=lagoon&lo=0&hi=1&y=2&x=1&flip=1", 1, 0, true}, {"map=lagoon&lo=-1&hi=1&y=1&x=2", 0.5, 1, false},
	} {
		at, err := t.stageOf(w, "data/halves.b2nd?"+c.query)
		if err != nil {
			return err
		}

		name := "lagoon"
		if strings.Contains(c.query, "ember") {
			name = "ember"
		}

		middle := image.Pt((at.Min.X+at.Max.X)/2+32, (at.Min.Y+at.Max.Y)/2-18)
		step := image.Pt(60, 0)
		if c.upright {
			step = image.Pt(0, 60)
		}

		a := middle.Sub(step)
		b := middle.Add(step)
		if err := errors.Join(t.colourAt(a.X, a.Y, name, c.left), t.colourAt(b.X, b.Y, name, c.right)); err != nil {
			return fmt.Errorf("%s: %w", c.query, err)
		}
	}
	return nil
}

func panAndZoom(t *tab, w *world) error {
	at, err := t.stageOf(w, "data/halves.b2nd?map=lagoon&lo=0&hi=1")
	if err != nil {
		return err
	}
	x := (at.Min.X+at.Max.X)/2 + 32
	y := (at.Min.Y+at.Max.Y)/2 - 18
	fx := float64(x)
	fy := float64(y)

	return all(
		t.colourAt(x+40, y, "lagoon", 1),
		// the border moves to the right
		t.drag(fx, fy, fx+150, fy, 10, false),
		t.settled(),
		t.colourAt(x+100, y, "lagoon", 0),
		t.colourAt(x+200, y, "lagoon", 1),
		t.wait(`/view=/.test(location.hash)`),
		t.wheel(fx+150, fy, -3000), // about the border
		t.settled(),
		t.wait(`document.querySelector('.plane').dataset.levels === '0,0'`),
		t.wait(`Number(/view=[^,]*,[^,]*,([\d.]+)/.exec(location.hash)?.[1]) > 100`),
		t.colourAt(x+150-30, y, "lagoon", 0),
		t.colourAt(x+150+30, y, "lagoon", 1),
		t.mouse("mouseMoved", fx+150+30, fy, nil),
		t.wait(`/axis 2 300\): 1|axis 2 300: 1/.test(document.getElementById('readout').textContent)`),
		t.click(`button[aria-label^="Show everything"]`),
		t.settled(),
		t.wait(`!/view=/.test(location.hash)`),
		t.colourAt(x-40, y, "lagoon", 0),
	)
}

func stepThrough(t *tab, w *world) error {
	at := func(want string) error {
		return t.wait(`(/at=([^&]*)/.exec(location.hash)?.[1] ?? '') === '` + want + `'`)
	}
	slider := func(want string) error {
		return t.wait(`document.querySelectorAll('input[type=range]')[1].value === '` + want + `'`)
	}

	return all(
		t.openArray(w, "data/dims5.b2nd"),
		t.eval(`document.querySelectorAll('input[type=range]')[2].focus()`, nil),
		t.press("ArrowRight", "ArrowRight"),
		at("0,0,2,0,0"), t.settled(),
		t.click(".stage canvas"),
		t.press("PageUp"),
		at("0,0,1,0,0"),
		t.eval(`(i => { i.value = 1; i.dispatchEvent(new Event('change')) })(document.querySelector('input[type=number]'))`, nil),
		at("1,0,1,0,0"), t.settled(),
		t.click(`button[aria-label="Play along axis 1"]`),
		slider("1"), slider("0"), slider("1"),
		t.click(`button[aria-label="Play along axis 1"]`),
		t.wait(`document.querySelectorAll('[aria-pressed=true][aria-label^=Play]').length === 0`),
		t.eval(`(s => { s.value = 0; s.dispatchEvent(new Event('change')) })(document.querySelector('.axes select'))`, nil),
		t.wait(`/y=0/.test(location.hash)`),
		t.settled(),
	)
}

func plot(t *tab, w *world) error {
	return all(
		t.openArray(w, "data/dims3.b2nd"),
		t.click(".stage canvas"),
		t.wait(`document.querySelectorAll('.lines figure path.line').length === 3`),
		t.wait(`/p=0,\d+,\d+/.test(location.hash)`),
		t.wait(`[...document.querySelectorAll('.lines figcaption')].map(f => f.textContent).join() === 'Along axis 0,Along axis 1,Along axis 2'`),
		t.wait(`document.querySelectorAll('.histogram rect').length === 64`),
		t.wait(`/min 0 · max /.test(document.querySelector('.panel').textContent)`),
		t.eval(`[...document.querySelectorAll('.panel > summary')].find(s => s.textContent === 'Chunks').click()`, nil),
		t.wait(`/ratios from/.test(document.querySelector('.chunks').getAttribute('aria-label'))`),
	)
}

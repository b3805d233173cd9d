package main

import (
	"errors"
	"fmt"
	"image"
	"math"
	"strings"

	"github.com/cairn-go/cairn/internal/chart"
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
	if err := t.open(w.url(fragment)); err != nil {
		return err
	}
	// The array before this one may be there still.
	path, _, _ := strings.Cut(fragment, "?")
	name := path[strings.LastIndexByte(path, '/')+1:]
	if err := t.wait(fmt.Sprintf(`document.querySelector('h1')?.textContent === %q`, name)); err != nil {
		return err
	}
	return t.settled()
}

// settled waits until the picture is there, and drawn.
func (t *tab) settled() error {
	if err := t.wait(shown); err != nil {
		return err
	}
	return t.eval(`new Promise(r => requestAnimationFrame(() => requestAnimationFrame(() => r(1))))`, nil)
}

// all returns the first error of some actions, each of which is done only if those before succeed.
func all(actions ...func() error) error {
	for _, do := range actions {
		if err := do(); err != nil {
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
		func() error { return t.open(w.url("")) },
		func() error { return t.wait(`document.querySelector('.entries a')?.textContent.includes('data')`) },
		func() error { return t.click(".entries a") },
		func() error { return t.wait(`document.querySelectorAll('.entries a').length >= 12`) },
		func() error {
			return t.wait(`[...document.querySelectorAll('.entries a')].some(a => /dims3.b2nd.*4 × 90 × 130/.test(a.textContent))`)
		},
		func() error { return t.click("input[type=search]") },
		func() error { return t.typeText("needle") },
		func() error { return t.wait(`document.querySelectorAll('.entries a').length === 1`) },
		func() error { return t.wait(`document.querySelector('mark')?.textContent === 'needle'`) },
		func() error { return t.wait(`location.hash === '#/data?q=needle'`) },
		func() error { return t.press("ArrowDown", "Enter") },
		t.settled,
		func() error { return t.wait(`location.hash.startsWith('#/data/more/deep/needle.b2nd')`) },
		func() error { return t.click(`#crumbs a[href="#/data/more"]`) },
		func() error { return t.wait(`document.querySelector('.entries a')?.textContent.includes('deep')`) },
		func() error { return t.eval(`history.back()`, nil) },
		t.settled,
		func() error { return t.openArray(w, "data/climate.b2z/t2m") },
		func() error {
			return t.wait(`document.querySelector('.coordinate').textContent === '2026-01-01 00:00'`)
		},
		func() error { return t.wait(`document.querySelector('.side').textContent.includes('air temperature')`) },
	)
}

func dimensions(t *tab, w *world) error {
	for n := range 6 {
		if err := t.openArray(w, fmt.Sprintf("data/dims%d.b2nd", n)); err != nil {
			return err
		}
		sliders, canvases := 0, 0
		if err := t.eval(`document.querySelectorAll('.dimension').length`, &sliders); err != nil {
			return err
		}
		if err := t.eval(`document.querySelectorAll('.stage canvas').length`, &canvases); err != nil {
			return err
		}
		want := [6][2]int{{}, {}, {0, 1}, {1, 1}, {2, 1}, {3, 1}}[n]
		if sliders != want[0] || canvases != want[1] {
			return fmt.Errorf("%d dimensions: %d sliders, %d pictures", n, sliders, canvases)
		}
	}
	return all(
		func() error { return t.openArray(w, "data/dims1.b2nd") },
		func() error {
			return t.wait(`document.querySelector('.series path.line').getAttribute('d').length > 100`)
		},
		func() error { return t.openArray(w, "data/dims0.b2nd") },
		func() error { return t.wait(`document.querySelector('.single').textContent === '0'`) },
		func() error { return t.openArray(w, "data/texts.b2nd") },
		func() error { return t.wait(`document.querySelector('.table').textContent.includes('<b>slate</b>')`) },
		func() error { return t.openArray(w, "data/records.b2nd") },
		func() error { return t.wait(`document.querySelectorAll('.table tbody tr').length === 50`) },
		func() error { return t.click(`button[aria-label="Further rows"]`) },
		func() error { return t.wait(`document.querySelector('.table tbody td').textContent === '50'`) },
		func() error { return t.wait(`location.hash.endsWith('row=50')`) },
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
	return check(far <= 6, "pixel %d, %d is %d %d %d, want %v", x, y, r>>8, g>>8, b>>8, want)
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
		if err := t.openArray(w, "data/halves.b2nd?"+c.query); err != nil {
			return err
		}
		at, err := t.stage()
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
		a, b := middle.Sub(step), middle.Add(step)
		if err := errors.Join(t.colourAt(a.X, a.Y, name, c.left), t.colourAt(b.X, b.Y, name, c.right)); err != nil {
			return fmt.Errorf("%s: %w", c.query, err)
		}
	}
	return nil
}

func panAndZoom(t *tab, w *world) error {
	if err := t.openArray(w, "data/halves.b2nd?map=lagoon&lo=0&hi=1"); err != nil {
		return err
	}
	at, err := t.stage()
	if err != nil {
		return err
	}
	x, y := (at.Min.X+at.Max.X)/2+32, (at.Min.Y+at.Max.Y)/2-18
	fx, fy := float64(x), float64(y)
	return all(
		func() error { return t.colourAt(x+40, y, "lagoon", 1) },
		// the border moves to the right
		func() error { return t.drag(fx, fy, fx+150, fy, 10, false) },
		t.settled,
		func() error { return t.colourAt(x+100, y, "lagoon", 0) },
		func() error { return t.colourAt(x+200, y, "lagoon", 1) },
		func() error { return t.wait(`/view=/.test(location.hash)`) },
		func() error { return t.wheel(fx+150, fy, -3000) }, // about the border
		t.settled,
		func() error { return t.wait(`document.querySelector('.plane').dataset.levels === '0,0'`) },
		func() error { return t.wait(`Number(/view=[^,]*,[^,]*,([\d.]+)/.exec(location.hash)?.[1]) > 100`) },
		func() error { return t.colourAt(x+150-30, y, "lagoon", 0) },
		func() error { return t.colourAt(x+150+30, y, "lagoon", 1) },
		func() error { return t.mouse("mouseMoved", fx+150+30, fy, nil) },
		func() error {
			return t.wait(`/axis 2 300\): 1|axis 2 300: 1/.test(document.getElementById('readout').textContent)`)
		},
		func() error { return t.click(`button[aria-label^="Show everything"]`) },
		t.settled,
		func() error { return t.wait(`!/view=/.test(location.hash)`) },
		func() error { return t.colourAt(x-40, y, "lagoon", 0) },
	)
}

func stepThrough(t *tab, w *world) error {
	at := func(want string) func() error {
		return func() error { return t.wait(`(/at=([^&]*)/.exec(location.hash)?.[1] ?? '') === '` + want + `'`) }
	}
	slider := func(want string) func() error {
		return func() error {
			return t.wait(`document.querySelectorAll('input[type=range]')[1].value === '` + want + `'`)
		}
	}
	return all(
		func() error { return t.openArray(w, "data/dims5.b2nd") },
		func() error { return t.eval(`document.querySelectorAll('input[type=range]')[2].focus()`, nil) },
		func() error { return t.press("ArrowRight", "ArrowRight") },
		at("0,0,2,0,0"), t.settled,
		func() error { return t.click(".stage canvas") },
		func() error { return t.press("PageUp") },
		at("0,0,1,0,0"),
		func() error {
			return t.eval(`(i => { i.value = 1; i.dispatchEvent(new Event('change')) })(document.querySelector('input[type=number]'))`, nil)
		},
		at("1,0,1,0,0"), t.settled,
		func() error { return t.click(`button[aria-label="Play along axis 1"]`) },
		slider("1"), slider("0"), slider("1"),
		func() error { return t.click(`button[aria-label="Play along axis 1"]`) },
		func() error {
			return t.wait(`document.querySelectorAll('[aria-pressed=true][aria-label^=Play]').length === 0`)
		},
		func() error {
			return t.eval(`(s => { s.value = 0; s.dispatchEvent(new Event('change')) })(document.querySelector('.axes select'))`, nil)
		},
		func() error { return t.wait(`/y=0/.test(location.hash)`) },
		t.settled,
	)
}

func plot(t *tab, w *world) error {
	return all(
		func() error { return t.openArray(w, "data/dims3.b2nd") },
		func() error { return t.click(".stage canvas") },
		func() error { return t.wait(`document.querySelectorAll('.lines figure path.line').length === 3`) },
		func() error { return t.wait(`/p=0,\d+,\d+/.test(location.hash)`) },
		func() error {
			return t.wait(`[...document.querySelectorAll('.lines figcaption')].map(f => f.textContent).join() === 'Along axis 0,Along axis 1,Along axis 2'`)
		},
		func() error { return t.wait(`document.querySelectorAll('.histogram rect').length === 64`) },
		func() error { return t.wait(`/min 0 · max /.test(document.querySelector('.panel').textContent)`) },
		func() error {
			return t.eval(`[...document.querySelectorAll('.panel > summary')].find(s => s.textContent === 'Chunks').click()`, nil)
		},
		func() error {
			return t.wait(`/ratios from/.test(document.querySelector('.chunks').getAttribute('aria-label'))`)
		},
	)
}

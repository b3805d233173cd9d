package main

import (
	"context"
	"fmt"
	"image"
	"path/filepath"
	"slices"

	"github.com/cairn-go/cairn/ndarray"
)

// share opens a link in a new page, which must show the same pixels.
func share(t *tab, w *world) error {
	const far = "data/climate.b2z/t2m?at=5,0,0&p=5,40,100&sel=20:40,50:80&map=ember&rev=1&lo=240&hi=300&grid=1"
	var address string
	err := all(
		t.openArray(w, far),
		t.wait(`document.querySelectorAll('.lines figure path.line').length === 3`),
		t.click(`button[aria-label^="Zoom in"]`),
		t.settled(),
		t.wait(`/view=/.test(location.hash)`),
		t.eval(`location.href`, &address),
	)
	if err != nil {
		return err
	}

	before, err := t.picture()
	if err != nil {
		return err
	}

	err = all(
		t.call("Page.navigate", map[string]any{"url": "about:blank"}, nil),
		t.open(address),
		t.settled(),
		t.wait(`document.querySelectorAll('.lines figure path.line').length === 3`),
		t.wait(`document.querySelector('.coordinate').textContent === '2026-01-02 06:00'`),
		t.settled(),
	)
	if err != nil {
		return err
	}

	after, err := t.picture()
	if err != nil {
		return err
	}
	return check(differ(before, after) < 20, "%d pixels differ", differ(before, after))
}

// picture returns the pixels of the first picture.
func (t *tab) picture() (image.Image, error) {
	_ = t.mouse("mouseMoved", 5, 5, nil) // no cursor on it; what fails fails the picture too
	at, _ := t.stage()
	_ = t.settled()
	m, _, err := t.shot()
	if err != nil {
		return nil, err
	}
	return m.(interface {
		SubImage(image.Rectangle) image.Image
	}).SubImage(at), nil
}

// differ counts the pixels in which two pictures of one size differ.
func differ(a, b image.Image) (n int) {
	if a.Bounds().Size() != b.Bounds().Size() {
		return a.Bounds().Dx() * a.Bounds().Dy()
	}
	from := a.Bounds().Min
	to := b.Bounds().Min
	for y := range a.Bounds().Dy() {
		for x := range a.Bounds().Dx() {
			r0, g0, b0, _ := a.At(from.X+x, from.Y+y).RGBA()
			r1, g1, b1, _ := b.At(to.X+x, to.Y+y).RGBA()
			if r0>>10 != r1>>10 || g0>>10 != g1>>10 || b0>>10 != b1>>10 {
				n++
			}
		}
	}
	return n
}

func errorPages(t *tab, w *world) error {
	t.expect("Failed to load resource", "ERR_CONNECTION_REFUSED")
	failed := func(path, title, advice string) error {
		return all(t.open(w.url(path)),
			t.wait(fmt.Sprintf(`document.querySelector('.message h1')?.textContent === %q && document.querySelector('.message').textContent.includes(%q)`, title, advice)))
	}

	return all(
		failed("data/nothing.b2nd", "Nothing is here", "Look for it in the folder above"),
		t.click(`.message a.button`),
		t.wait(`document.querySelectorAll('.entries a').length >= 12`),
		failed("data/../../etc/passwd", "Nothing is here", "folder above"),
		failed("data/notes.txt", "notes.txt", "not an array that cairn can read"),
		t.open(w.url("data/damaged.b2nd")),
		t.wait(`/Cannot read: .*damaged|cannot be read|not an array/.test(document.getElementById('main').textContent)`),
		t.openArray(w, "data/dims2.b2nd"),
		w.stop(),
		t.eval(`location.hash = '#/data'`, nil),
		t.wait(`document.querySelector('.message')?.textContent.includes('Check that the server runs')`),
		w.start(w.host),
		t.click(`.message button`),
		t.wait(`document.querySelectorAll('.entries a').length >= 12`),
	)
}

// grow appends to an array that the page follows, standing at its end.
func grow(t *tab, w *world) error {
	err := all(
		t.openArray(w, "data/grow.b2nd?follow=1&at=9,0,0&p=9,3,4"),
		t.wait(`document.querySelector('input[type=checkbox]').checked`),
	)
	if err != nil {
		return err
	}

	a, err := ndarray.OpenAs[float32](filepath.Join(w.dir, "grow.b2nd"), &ndarray.OpenOptions{Mode: ndarray.ReadWrite})
	if err != nil {
		return err
	}
	err = all(
		a.Append(context.Background(), 0, make([]float32, 3*40*50)),
		a.Close(),
	)
	if err != nil {
		return err
	}

	return all(
		t.wait(`document.querySelector('.subtitle').textContent.includes('13 × 40 × 50')`),
		t.wait(`document.querySelector('.dimension input[type=range]').value === '12'`),
		t.wait(`document.getElementById('live').textContent.includes('grown to 13 by 40 by 50')`),
		t.settled(),
		t.wait(`document.querySelector('.panel').textContent.includes('max 0')`),
	)
}

func compare(t *tab, w *world) error {
	zoom := func() error {
		x, y, err := t.centre(".stage canvas")
		return all(err, t.wheel(x, y, -800))
	}

	return all(
		t.openArray(w, "data/halves.b2nd?map=lagoon&lo=0&hi=2&cmp=data/other.b2nd"),
		t.wait(`document.querySelectorAll('.stage').length === 2`),
		t.wait(`document.querySelector('.caption').textContent === 'other.b2nd'`),
		t.settled(),
		zoom(), // the views are one
		t.settled(),
		t.mouse("mouseMoved", 300, 400, nil),
		t.wait(`/: [\d.]+ \| [\d.]+$/.test(document.getElementById('readout').textContent)`),
		t.click(`[data-mode=difference]`),
		t.wait(`/this − other.b2nd, ±/.test(document.querySelector('.caption').textContent)`),
		t.wait(`/mode=difference/.test(location.hash)`),
		t.eval(`[...document.querySelectorAll('.row button')].find(b => b.textContent === 'End').click()`, nil),
		t.wait(`document.querySelectorAll('.stage').length === 1`),
		// another shape is refused, in words
		t.eval(`(i => { i.value = 'data/dims3.b2nd'; i.form.requestSubmit() })(document.querySelector('[list=candidates]'))`, nil),
		t.wait(`/Cannot compare: .*shape/.test(document.querySelector('[role=alert]').textContent)`),
	)
}

// large looks at planes that are more than a few tiles.
func large(t *tab, w *world) error {
	t.expect("Failed to load resource")
	var states []string
	err := all(
		t.openArray(w, "data/large.b2nd"),
		t.wait(`document.querySelector('.plane').dataset.levels === '4,4'`),
		t.wait(`document.querySelector('.panel').textContent.includes('Count all items')`),
		t.press("Tab"),
		t.eval(`document.querySelector('.stage canvas').focus()`, nil),
		t.press("1"),
		t.settled(),
		t.wait(`document.querySelector('.plane').dataset.levels === '0,0'`),
		t.eval(`(async () => {
			const seen = new Set(), began = performance.now();
			location.hash = '#/data/huge.b2nd';
			while (!seen.has('sampled') && performance.now() - began < 20000) {
				await new Promise(requestAnimationFrame);
				const state = document.body.dataset.state === 'ready' && document.querySelector('h1')?.textContent === 'huge.b2nd'
					&& document.querySelector('.plane')?.dataset.state;
				if (state) seen.add(state);
			}
			return [...seen];
		})()`, &states),
	)
	if err != nil {
		return err
	}

	// What has no exact picture must never be called so.
	sampled := !slices.Contains(states, "exact") && slices.Contains(states, "sampled")
	return all(
		t.check(sampled, "states: %q", states),
		t.wait(`/^Preview of .* samples/.test(document.querySelector('.badge').textContent)`),
		t.wait(`document.querySelector('.plane').dataset.state === 'sampled'`),
		t.wait(`/too large for/.test(document.querySelector('.badge').textContent)`),
	)
}

func phone(t *tab, w *world) error {
	touch := func(kind string, at ...[2]float64) error {
		points := []map[string]any{}
		for i, p := range at {
			points = append(points, map[string]any{"x": p[0], "y": p[1], "id": i})
		}
		return t.call("Input.dispatchTouchEvent", map[string]any{"type": kind, "touchPoints": points}, nil)
	}

	fits := func() error { return t.wait(`document.documentElement.scrollWidth <= 390`) }
	view := `(/view=([^&]*)/.exec(location.hash)?.[1] ?? '')`
	err := all(
		t.size(390, 844, 2, true),
		t.open(w.url("data")), fits(),
		t.openArray(w, "data/climate.b2z/t2m"), fits(),
	)
	if err != nil {
		return err
	}

	x, y, err := t.centre(".stage canvas")
	return all(
		err,
		touch("touchStart", [2]float64{x - 20, y}, [2]float64{x + 20, y}),
		touch("touchMove", [2]float64{x - 40, y}, [2]float64{x + 40, y}),
		touch("touchMove", [2]float64{x - 80, y}, [2]float64{x + 80, y}),
		touch("touchEnd"),
		t.wait(view+`.split(',')[3] > 3`),
		t.settled(),
		t.eval(`window.was = `+view, nil),
		touch("touchStart", [2]float64{x, y}),
		touch("touchMove", [2]float64{x - 30, y}),
		touch("touchMove", [2]float64{x - 60, y + 10}),
		touch("touchEnd"),
		t.wait(view+` !== window.was`),
		touch("touchStart", [2]float64{x, y}),
		touch("touchEnd"),
		t.wait(`document.querySelectorAll('.lines figure').length === 3`),
		fits(),
		t.openArray(w, "data/records.b2nd"), fits(),
		t.openArray(w, "data/dims1.b2nd"), fits(),
	)
}

func dark(t *tab, w *world) error {
	light := func(want bool) error {
		m, _, err := t.shot()
		if err != nil {
			return err
		}
		at, err := t.stage()
		if err != nil {
			return err
		}
		bright := func(x, y int) bool {
			r, g, b, _ := m.At(x, y).RGBA()
			return r+g+b > 3<<15
		}
		return all(
			t.check(bright(4, 200) == want, "the ground is bright: %v", !want),
			// drawn, not of the style sheet
			t.check(bright(at.Min.X+2, at.Min.Y+2) == want, "the paper of the picture is bright: %v", !want),
		)
	}

	return all(
		t.scheme(true),
		t.openArray(w, "data/dims3.b2nd"), light(false),
		t.scheme(false), t.settled(), light(true),
	)
}

// keyboard does without a mouse from the first page to a value, a line and a selection.
func keyboard(t *tab, w *world) error {
	focus := func(expression string) error {
		for range 60 {
			var on bool
			err := t.eval(`Boolean(document.activeElement?.matches(`+fmt.Sprintf("%q", expression)+`))`, &on)
			if err != nil || on {
				return err
			}
			_ = t.press("Tab") // if it fails, so does the next question
		}
		return t.check(false, "the Tab key never reaches %s", expression)
	}

	live := func(part string) error {
		return t.wait(fmt.Sprintf(`document.getElementById('live').textContent.includes(%q)`, part))
	}

	return all(
		t.open(w.url("data")),
		t.wait(`document.querySelectorAll('.entries a').length > 5`),
		focus(`.entries a[href="#/data/dims3.b2nd"]`),
		t.press("Enter"), t.settled(),
		focus(".stage canvas"),
		t.press("ArrowRight"), live("axis 2 65: 4565"),
		t.press("ArrowDown"), live(": "),
		t.press("Enter"),
		t.wait(`document.querySelectorAll('.lines figure').length === 3`),
		t.press("s", "ArrowRight", "ArrowDown", "Enter"), live("Selected"),
		t.wait(`/sel=/.test(location.hash)`),
		t.press("PageDown"), live("axis 0 1"),
		t.press("+", "+"),
		t.wait(`/view=/.test(location.hash)`),
		t.press("Escape"),
		t.wait(`!/p=|sel=/.test(location.hash)`),
		t.press("?"),
		t.wait(`document.querySelector('dialog[open]')`),
		t.press("Escape"),
		t.wait(`!document.querySelector('dialog')`),
	)
}

// auditAll runs axe-core on every kind of page, light and dark.
func auditAll(t *tab, w *world) error {
	t.expect("Failed to load resource")
	for _, isDark := range []bool{false, true} {
		_ = all(t.scheme(isDark), t.still()) // a tab that failed does nothing more
		for _, path := range []string{"data", "data/climate.b2z/t2m?p=3,20,30&sel=5:20,30:60&grid=1", "data/dims1.b2nd", "data/dims0.b2nd",
			"data/records.b2nd", "data/halves.b2nd?cmp=data/other.b2nd", "data/nothing.b2nd", "data/notes.txt"} {
			t.expect("Failed to load resource")
			_ = t.open(w.url(path))
			_ = t.wait(`document.querySelector('.message, .entries a') || ` + shown)
			if err := t.axe(path); err != nil {
				return err
			}
		}
		if err := all(t.click("#help"), t.axe("the list of keys")); err != nil {
			return err
		}
	}
	return nil
}

// still waits until no colour changes slowly any more.
func (t *tab) still() error {
	return t.eval(`Promise.all(document.getAnimations().map(a => a.finished)).then(() => 1)`, nil)
}

// axe fails if axe-core finds a violation of any rule.
func (t *tab) axe(where string) error {
	var found []string
	if err := t.eval(t.audit+`; 1`, nil); err != nil {
		return err
	}
	err := t.eval(`axe.run().then(r => r.violations.map(v => v.id + ': ' + v.help + ' at ' + v.nodes.map(n => n.target.join(' ')).slice(0, 3).join(', ')))`, &found)
	if err != nil {
		return err
	}
	return check(len(found) == 0, "%s: %q", where, found)
}

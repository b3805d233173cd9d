package main

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"net/url"
	"slices"
	"strings"
	"time"
)

// patience is how long a page may take to do something.
const patience = 30 * time.Second

// A tab is a page of the browser.
type tab struct {
	b       *browser
	session string
	host    string // the only one that it may ask

	err      error    // the first; a tab does nothing after it
	faults   []string // errors of the console, exceptions, requests to elsewhere
	expected []string // parts of errors that a test wants
	audit    string   // the source of axe-core
}

// newTab opens a tab that may only ask a host.
func newTab(b *browser, host string) (*tab, error) {
	var target struct{ TargetID string }
	if err := b.call("", "Target.createTarget", map[string]any{"url": "about:blank"}, &target); err != nil {
		return nil, err
	}
	var attached struct{ SessionID string }
	err := b.call("", "Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &attached)
	if err != nil {
		return nil, err
	}
	t := &tab{b: b, session: attached.SessionID, host: host}
	b.watch = t.watch
	for _, domain := range []string{"Page", "Runtime", "Network", "Log"} {
		if err := t.call(domain+".enable", nil, nil); err != nil {
			return nil, err
		}
	}
	return t, nil
}

func (t *tab) call(method string, params, result any) error {
	if t.err == nil {
		t.err = t.b.call(t.session, method, params, result)
	}
	return t.err
}

// check fails the tab unless something is so.
func (t *tab) check(ok bool, format string, args ...any) error {
	if t.err == nil {
		t.err = check(ok, format, args...)
	}
	return t.err
}

// watch notes what must not happen.
func (t *tab) watch(session, method string, params json.RawMessage) {
	if session != t.session {
		return
	}

	switch method {
	case "Runtime.exceptionThrown":
		t.faults = append(t.faults, "exception: "+string(params))
	case "Runtime.consoleAPICalled":
		var p struct{ Type string }
		if json.Unmarshal(params, &p) == nil && (p.Type == "error" || p.Type == "warning" || p.Type == "assert") {
			t.faults = append(t.faults, "console: "+string(params))
		}
	case "Log.entryAdded":
		var p struct {
			Entry struct{ Level, Text, URL string }
		}
		if json.Unmarshal(params, &p) == nil && (p.Entry.Level == "error" || p.Entry.Level == "warning") {
			t.faults = append(t.faults, "log: "+p.Entry.Text+" "+p.Entry.URL)
		}
	case "Network.requestWillBeSent":
		var p struct{ Request struct{ URL string } }
		if json.Unmarshal(params, &p) != nil {
			return
		}
		u, err := url.Parse(p.Request.URL)
		if err != nil || u.Scheme != "blob" && u.Scheme != "data" && u.Host != t.host {
			t.faults = append(t.faults, "request to elsewhere: "+p.Request.URL)
		}
	}
}

// fault returns what happened and must not have, but for what the test has expected.
func (t *tab) fault() error {
	if err := t.eval("1", nil); err != nil { // what was told before its answer is known now
		return err
	}
	var rest []string
	for _, f := range t.faults {
		if !slices.ContainsFunc(t.expected, func(part string) bool { return strings.Contains(f, part) }) {
			rest = append(rest, f)
		}
	}
	t.faults = nil
	t.expected = nil
	if len(rest) > 0 {
		return fmt.Errorf("%d faults, the first: %.600s", len(rest), rest[0])
	}
	return nil
}

func (t *tab) expect(parts ...string) { t.expected = append(t.expected, parts...) }

// eval evaluates an expression in the page, and waits for promises.
func (t *tab) eval(expression string, result any) error {
	if t.err == nil {
		t.err = t.ask(expression, result)
	}
	return t.err
}

// ask does the same in a tab that does not fail with it.
func (t *tab) ask(expression string, result any) error {
	var got struct {
		Result           struct{ Value json.RawMessage }
		ExceptionDetails json.RawMessage
	}
	params := map[string]any{"expression": expression, "returnByValue": true, "awaitPromise": true}
	if err := t.b.call(t.session, "Runtime.evaluate", params, &got); err != nil {
		return err
	}
	if got.ExceptionDetails != nil {
		return fmt.Errorf("%s: %.400s", expression, got.ExceptionDetails)
	}
	if result == nil {
		return nil
	}
	if got.Result.Value == nil {
		return fmt.Errorf("%s is undefined", expression)
	}
	return json.Unmarshal(got.Result.Value, result)
}

// wait waits until an expression is true.
func (t *tab) wait(expression string) error {
	for end := time.Now().Add(patience); t.err == nil; time.Sleep(15 * time.Millisecond) {
		var ok bool
		err := t.ask("Boolean("+expression+")", &ok)
		if err == nil && ok {
			return nil
		}
		if time.Now().After(end) {
			var text string
			_ = t.ask("document.getElementById('main').innerText.slice(0, 300)", &text)
			var state string
			_ = t.ask("location.href + ' ' + document.body.dataset.state", &state)
			return t.check(false, "never true: %s (%v); at %s the page says %q", expression, err, state, text)
		}
	}
	return t.err
}

// open goes to an address, and waits until the page has noticed and shows what is there: another
// fragment of the address is told to the page a while after the browser went there.
func (t *tab) open(address string) error {
	return all(
		t.eval(fmt.Sprintf(`location.href === %q || (document.body.dataset.state = 'asked')`, address), nil),
		t.call("Page.navigate", map[string]any{"url": address}, nil),
		t.wait(`document.body?.dataset.state && !['asked', 'loading'].includes(document.body.dataset.state)`),
	)
}

// size sets the size of the window.
func (t *tab) size(width, height int, ratio float64, phone bool) error {
	return all(
		t.call("Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": height,
			"deviceScaleFactor": ratio, "mobile": phone}, nil),
		t.call("Emulation.setTouchEmulationEnabled", map[string]any{"enabled": phone}, nil),
	)
}

// scheme sets whether the reader prefers a dark page.
func (t *tab) scheme(dark bool) error {
	value := "light"
	if dark {
		value = "dark"
	}
	return t.call("Emulation.setEmulatedMedia",
		map[string]any{"features": []map[string]any{{"name": "prefers-color-scheme", "value": value}}}, nil)
}

// shot returns a picture of what is seen.
func (t *tab) shot() (image.Image, []byte, error) {
	var got struct{ Data string }
	if err := t.call("Page.captureScreenshot", map[string]any{"format": "png"}, &got); err != nil {
		return nil, nil, err
	}
	raw, err := base64.StdEncoding.DecodeString(got.Data)
	if err != nil {
		return nil, nil, err
	}
	m, err := png.Decode(bytes.NewReader(raw))
	return m, raw, err
}

// centre returns the middle of an element, after it has been scrolled into view, and once it has
// stayed in its place for some frames: texts that arrive above it move it.
func (t *tab) centre(selector string) (x, y float64, err error) {
	var at []float64
	err = t.eval(fmt.Sprintf(`(async () => {
		const e = document.querySelector(%q), frame = () => new Promise(requestAnimationFrame);
		const middle = () => {
			e.scrollIntoView({block: 'nearest'});
			const r = e.getBoundingClientRect();
			return [r.x + r.width / 2, r.y + r.height / 2];
		};
		let at = middle();
		for (let still = 0, frames = 0; still < 3 && frames < 300; frames++) {
			await frame();
			const now = middle();
			still = String(now) === String(at) ? still + 1 : 0;
			at = now;
		}
		return at;
	})()`, selector), &at)
	if err != nil || len(at) != 2 {
		return 0, 0, fmt.Errorf("no element %s: %w", selector, err)
	}

	return at[0], at[1], nil
}

func (t *tab) mouse(kind string, x, y float64, more map[string]any) error {
	params := map[string]any{"type": kind, "x": x, "y": y}
	for k, v := range more {
		params[k] = v
	}
	return t.call("Input.dispatchMouseEvent", params, nil)
}

// click clicks at the middle of an element. It clicks again where the element has moved away under
// the mouse, as people do.
func (t *tab) click(selector string) error {
	left := map[string]any{"button": "left", "buttons": 1, "clickCount": 1}
	for range 5 {
		x, y, err := t.centre(selector)
		if err != nil {
			return err
		}
		_ = t.mouse("mouseMoved", x, y, left) // a tab that failed does nothing more
		_ = t.eval(fmt.Sprintf(`window.clicked = null, document.querySelector(%q).addEventListener('click',
			() => { window.clicked = true }, {capture: true, once: true})`, selector), nil)
		_ = t.mouse("mousePressed", x, y, left)
		_ = t.mouse("mouseReleased", x, y, left)

		var hit bool
		if err := t.eval("Boolean(window.clicked)", &hit); err != nil || hit {
			return err
		}
	}
	return t.check(false, "clicks do not reach %s", selector)
}

// drag moves the mouse with its button down, in steps.
func (t *tab) drag(x0, y0, x1, y1 float64, steps int, shift bool) error {
	more := map[string]any{"button": "left", "buttons": 1, "clickCount": 1}
	if shift {
		more["modifiers"] = 8
	}
	_ = t.mouse("mousePressed", x0, y0, more) // a tab that failed does nothing more
	for i := 1; i <= steps; i++ {
		at := float64(i) / float64(steps)
		_ = t.mouse("mouseMoved", x0+(x1-x0)*at, y0+(y1-y0)*at, more)
	}
	return t.mouse("mouseReleased", x1, y1, more)
}

func (t *tab) wheel(x, y, dy float64) error {
	return t.mouse("mouseWheel", x, y, map[string]any{"deltaX": 0, "deltaY": dy})
}

// press presses a key; one character is also typed.
func (t *tab) press(keys ...string) error {
	codes := map[string]int{"Enter": 13, "Tab": 9, "Escape": 27, "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40,
		"PageUp": 33, "PageDown": 34, "Home": 36, "End": 35, " ": 32}
	for _, key := range keys {
		params := map[string]any{"type": "keyDown", "key": key}
		if code := codes[key]; code != 0 {
			params["windowsVirtualKeyCode"] = code
		}
		if text := key; len(text) == 1 {
			params["text"] = text
		} else if key == "Enter" {
			params["text"] = "\r"
		}
		_ = t.call("Input.dispatchKeyEvent", params, nil) // a tab that failed does nothing more
		params["type"] = "keyUp"
		delete(params, "text")
		_ = t.call("Input.dispatchKeyEvent", params, nil)
	}
	return t.err
}

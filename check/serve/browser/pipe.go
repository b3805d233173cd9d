package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// A browser is a Chromium that is driven by Chromium's DevTools protocol over a pipe: messages in
// JSON, each ended by a zero byte. So no port is open, and no driver is needed. It must not be used
// concurrently: what the browser says is read while a call waits for its answer.
type browser struct {
	cmd     *exec.Cmd
	profile string
	out, in *os.File
	lines   *bufio.Reader
	next    int
	watch   func(session, method string, params json.RawMessage)
}

type message struct {
	ID        int             `json:"id,omitempty"`
	SessionID string          `json:"sessionId,omitempty"`
	Method    string          `json:"method,omitempty"`
	Params    json.RawMessage `json:"params,omitempty"`
	Result    json.RawMessage `json:"result,omitempty"`
	Error     *struct {
		Message string `json:"message"`
	} `json:"error,omitempty"`
}

// startBrowser starts Chromium with an empty profile. It may not reach anything but this machine:
// every other name is unknown to it.
func startBrowser(program string) (*browser, error) {
	profile, err := os.MkdirTemp("", "browser-")
	if err != nil {
		return nil, err
	}
	fromUs, out, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	in, toUs, err := os.Pipe()
	if err != nil {
		return nil, err
	}

	b := &browser{profile: profile, out: out, in: in, lines: bufio.NewReaderSize(in, 1<<20)}
	b.cmd = exec.Command(program, "--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe",
		"--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-extensions",
		"--disable-default-apps", "--no-first-run", "--no-default-browser-check", "--disable-dev-shm-usage", "--mute-audio",
		"--hide-scrollbars", "--force-color-profile=srgb", "--font-render-hinting=none", "--lang=en-GB",
		"--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE localhost , EXCLUDE 127.0.0.1",
		"--user-data-dir="+filepath.Join(profile, "data"), "about:blank")
	b.cmd.ExtraFiles = []*os.File{fromUs, toUs}
	err = b.cmd.Start()
	_ = fromUs.Close() // the browser has them
	_ = toUs.Close()
	return b, err
}

// call calls a method of the protocol, and puts what it returns into result, which may be nil. What
// the browser tells before goes to watch.
func (b *browser) call(session, method string, params, result any) error {
	if params == nil {
		params = struct{}{}
	}
	raw, err := json.Marshal(params)
	if err != nil {
		return err
	}
	b.next++
	text, err := json.Marshal(message{ID: b.next, SessionID: session, Method: method, Params: raw})
	if err != nil {
		return err
	}
	if _, err := b.out.Write(append(text, 0)); err != nil {
		return err
	}
	if err := b.in.SetReadDeadline(time.Now().Add(60 * time.Second)); err != nil {
		return err
	}

	for {
		raw, err := b.lines.ReadBytes(0)
		if err != nil {
			return fmt.Errorf("%s: no answer from the browser: %w", method, err)
		}
		var m message
		if err := json.Unmarshal(raw[:len(raw)-1], &m); err != nil {
			return fmt.Errorf("%s: %w", method, err)
		}
		switch {
		case m.ID != b.next && b.watch != nil:
			b.watch(m.SessionID, m.Method, m.Params)
		case m.ID != b.next:
		case m.Error != nil:
			return fmt.Errorf("%s: %s", method, m.Error.Message)
		case result != nil:
			return json.Unmarshal(m.Result, result)
		default:
			return nil
		}
	}
}

// close ends the browser.
func (b *browser) close() error {
	asked := b.call("", "Browser.close", nil, nil)
	late := time.AfterFunc(10*time.Second, func() { _ = b.cmd.Process.Kill() })
	defer late.Stop()
	_ = b.cmd.Wait() // how it ends does not matter
	return errors.Join(asked, b.out.Close(), b.in.Close(), os.RemoveAll(b.profile))
}

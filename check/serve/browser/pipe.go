package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"time"
)

// A browser is a Chromium that is driven by Chromium's DevTools protocol over a pipe: messages in
// JSON, each ended by a zero byte. So no port is open, and no driver is needed.
type browser struct {
	cmd     *exec.Cmd
	profile string
	out     io.WriteCloser

	mu      sync.Mutex
	next    int
	waiting map[int]chan message
	watch   func(session, method string, params json.RawMessage)
	ended   error
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
	b := &browser{profile: profile, out: out, waiting: map[int]chan message{}}
	b.cmd = exec.Command(program, "--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe",
		"--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-extensions",
		"--disable-default-apps", "--no-first-run", "--no-default-browser-check", "--disable-dev-shm-usage", "--mute-audio",
		"--hide-scrollbars", "--force-color-profile=srgb", "--font-render-hinting=none", "--lang=en-GB",
		"--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE localhost , EXCLUDE 127.0.0.1",
		"--user-data-dir="+filepath.Join(profile, "data"), "about:blank")
	b.cmd.ExtraFiles = []*os.File{fromUs, toUs}
	if err := b.cmd.Start(); err != nil {
		return nil, err
	}
	_ = fromUs.Close() // the browser has them
	_ = toUs.Close()
	go b.listen(in)
	return b, nil
}

// listen passes on what the browser says.
func (b *browser) listen(in io.Reader) {
	r := bufio.NewReaderSize(in, 1<<20)
	for {
		raw, err := r.ReadBytes(0)
		if err != nil {
			b.mu.Lock()
			defer b.mu.Unlock()
			b.ended = fmt.Errorf("the browser has ended: %w", err)
			for _, c := range b.waiting {
				close(c)
			}
			b.waiting = map[int]chan message{}
			return
		}
		var m message
		if err := json.Unmarshal(raw[:len(raw)-1], &m); err != nil {
			continue
		}
		b.mu.Lock()
		c, watch := b.waiting[m.ID], b.watch
		delete(b.waiting, m.ID)
		b.mu.Unlock()
		if m.ID != 0 && c != nil {
			c <- m
		} else if watch != nil {
			watch(m.SessionID, m.Method, m.Params)
		}
	}
}

// post calls a method without waiting for what it returns.
func (b *browser) post(session, method string, params any) error {
	raw, err := json.Marshal(params)
	if err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.next++
	text, err := json.Marshal(message{ID: b.next, SessionID: session, Method: method, Params: raw})
	if err == nil {
		_, err = b.out.Write(append(text, 0))
	}
	return err
}

// call calls a method of the protocol, and puts what it returns into result, which may be nil.
func (b *browser) call(session, method string, params, result any) error {
	raw, err := json.Marshal(params)
	if err != nil {
		return err
	}
	if params == nil {
		raw = []byte("{}")
	}
	c := make(chan message, 1)
	b.mu.Lock()
	if b.ended != nil {
		b.mu.Unlock()
		return b.ended
	}
	b.next++
	id := b.next
	b.waiting[id] = c
	text, err := json.Marshal(message{ID: id, SessionID: session, Method: method, Params: raw})
	if err == nil {
		_, err = b.out.Write(append(text, 0))
	}
	b.mu.Unlock()
	if err != nil {
		return err
	}
	select {
	case m, ok := <-c:
		switch {
		case !ok:
			return b.ended
		case m.Error != nil:
			return fmt.Errorf("%s: %s", method, m.Error.Message)
		case result == nil:
			return nil
		}
		return json.Unmarshal(m.Result, result)
	case <-time.After(60 * time.Second):
		return fmt.Errorf("%s: no answer", method)
	}
}

// close ends the browser.
func (b *browser) close() error {
	asked := b.call("", "Browser.close", nil, nil)
	done := make(chan error, 1)
	go func() { done <- b.cmd.Wait() }()
	select {
	case <-done:
	case <-time.After(10 * time.Second):
		asked = errors.Join(asked, b.cmd.Process.Kill())
		<-done
	}
	return errors.Join(asked, os.RemoveAll(b.profile))
}

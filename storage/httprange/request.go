package httprange

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/cairn-go/cairn"
)

// A client performs the requests of one open file or bucket.
type client struct {
	transport http.RoundTripper
	o         Options
	home      *url.URL // the only one that gets credentials
	name      string
	slots     chan struct{} // a semaphore for requests in flight
	wait      time.Duration // between the first attempts
}

func newClient(link string, o *Options) (*client, *url.URL, error) {
	all, err := o.withDefaults()
	if err != nil {
		return nil, nil, err
	}

	at, err := parse(link, &all)
	if err != nil {
		return nil, nil, err
	}

	c := &client{o: all, home: at, name: nameOf(at), slots: make(chan struct{}, all.Requests),
		wait: firstWait}
	c.transport = all.Transport
	if all.Transport == nil {
		c.transport = newTransport(all.Requests)
	}
	return c, at, nil
}

// Format writes the name, because the options hold credentials.
func (c *client) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, c.name) }

// Close closes the connections, unless the caller provided the transport.
func (c *client) Close() error {
	if c.o.Transport == nil {
		c.transport.(*http.Transport).CloseIdleConnections()
	}
	return nil
}

// The waits between attempts, without what the server asks for.
const (
	firstWait = 100 * time.Millisecond
	lastWait  = 10 * time.Second
)

// fill performs a query, with several attempts. Each continues where the one before it ended.
func (c *client) fill(ctx context.Context, q *query) error {
	select {
	case c.slots <- struct{}{}:
		defer func() { <-c.slots }()
	case <-ctx.Done():
		return ctx.Err()
	}

	for attempt, wait := 1, c.wait; ; attempt, wait = attempt+1, min(2*wait, lastWait) {
		err := c.attempt(ctx, q)
		var f *failure
		if err == nil || !errors.As(err, &f) {
			return err
		}

		if !f.again {
			return f.err
		}
		if attempt == c.o.Attempts {
			return fmt.Errorf("%w (%d attempts)", f.err, attempt)
		}

		pause := max(f.wait, wait/2+rand.N(wait/2))
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// The causes of the end of an attempt's context.
var (
	errIdle = errors.New("the server sends nothing")
	errSlow = errors.New("the request takes too long")
)

// attempt performs a query by one request. Its errors are failures, or that of ctx.
func (c *client) attempt(ctx context.Context, q *query) error {
	within, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	idle := time.AfterFunc(c.o.Idle, func() { cancel(errIdle) })
	defer idle.Stop()
	slow := time.AfterFunc(c.o.Timeout, func() { cancel(errSlow) })
	defer slow.Stop()

	// Whatever ended the request, the caller's context goes first, then the reason of a timeout.
	failed := func(err error) error {
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case within.Err() != nil:
			err = context.Cause(within)
		}
		return &failure{err: err, again: true}
	}

	resp, err := c.send(within, q)
	if err != nil {
		var f *failure
		if errors.As(err, &f) && ctx.Err() == nil {
			return err
		}
		return failed(err)
	}

	// The body is closed early where it is not wanted, which closes the connection.
	defer resp.Body.Close()

	idle.Reset(c.o.Idle)
	if err := q.accept(resp, c.o.Unpinned); err != nil {
		return err
	}

	for q.more() {
		n, err := resp.Body.Read(q.data[q.done:])
		q.done += n
		if q.done == len(q.data) {
			continue
		}

		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			return failed(fmt.Errorf("after %d of %d bytes: %w", q.done, len(q.data), err))
		}
		idle.Reset(c.o.Idle)
	}
	return nil
}

// send sends a request, and follows redirects. It does without an http.Client, which chooses
// headers for redirects by rules of its own, and quotes their URLs in errors.
func (c *client) send(ctx context.Context, q *query) (*http.Response, error) {
	at := q.url
	for range maxRedirects {
		req := (&http.Request{Method: http.MethodGet, URL: at, Host: at.Host, Header: http.Header{}}).WithContext(ctx)
		if sameHost(c.home, at) {
			// Add what only the host of the URL gets.
			for name, values := range c.o.Header {
				req.Header[http.CanonicalHeaderKey(name)] = append([]string(nil), values...)
			}

			switch {
			case c.o.Token != "":
				req.Header.Set("Authorization", "Bearer "+c.o.Token)
			case c.o.User+c.o.Password != "":
				req.SetBasicAuth(c.o.User, c.o.Password)
			}
		}

		req.Header.Set("User-Agent", "cairn")
		req.Header.Set("Accept-Encoding", "identity")

		// Set the headers that select the bytes, of the same file.
		h := req.Header
		switch {
		case q.all:
		case q.off < 0:
			h.Set("Range", fmt.Sprintf("bytes=-%d", len(q.data)))
		default:
			h.Set("Range", fmt.Sprintf("bytes=%d-%d", q.off+int64(q.done), q.off+int64(len(q.data))-1))
		}

		if q.id != nil {
			// Ask the server to fail if the file is no longer the same.
			id := q.id
			switch {
			case id.strong:
				h.Set("If-Match", id.tag)
			case id.modified != "":
				h.Set("If-Unmodified-Since", id.modified)
			}
		}

		resp, err := c.transport.RoundTrip(req)
		if err != nil {
			return nil, c.transportError(err)
		}

		switch resp.StatusCode {
		case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther,
			http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		default:
			return resp, nil
		}

		resp.Body.Close()
		if at, err = c.redirect(at, resp.Header.Get("Location")); err != nil {
			return nil, err
		}
	}
	return nil, &failure{err: fmt.Errorf("more than %d redirects", maxRedirects)}
}

// redirect returns the URL to which a server redirects, if it may be followed.
func (c *client) redirect(from *url.URL, location string) (*url.URL, error) {
	to, err := from.Parse(location)
	switch {
	case err != nil || location == "" || to.Host == "" || to.Scheme != "http" && to.Scheme != "https":
		return nil, &failure{err: errors.New("the server redirects to an invalid URL")}
	case from.Scheme == "https" && to.Scheme == "http":
		return nil, &failure{err: errors.New("the server redirects from https to http")}
	case !sameHost(c.home, to) && !c.o.OtherHosts:
		return nil, refusef(cairn.ErrUnsupported, "the server redirects to another host, %s, which is not allowed",
			to.Host)
	}

	to.User = nil
	return to, nil
}

// sameHost reports whether two URLs have the same host and port, or the second has the usual port
// of https and the first that of http.
func sameHost(home, at *url.URL) bool {
	if !strings.EqualFold(home.Hostname(), at.Hostname()) {
		return false
	}

	if portOf(home) == portOf(at) && home.Scheme == at.Scheme {
		return true
	}
	return home.Scheme == "http" && portOf(home) == "80" && at.Scheme == "https" && portOf(at) == "443"
}

func portOf(at *url.URL) string {
	switch port := at.Port(); {
	case port != "":
		return port
	case at.Scheme == "https":
		return "443"
	}
	return "80"
}

// transportError returns an error of package net/http without the URL. A certificate does not
// become valid by another attempt.
func (c *client) transportError(err error) error {
	var outer *url.Error
	if errors.As(err, &outer) {
		err = outer.Err
	}

	for _, target := range []any{new(x509.UnknownAuthorityError), new(x509.HostnameError),
		new(x509.CertificateInvalidError)} {
		if errors.As(err, target) {
			return &failure{err: err}
		}
	}
	return err
}

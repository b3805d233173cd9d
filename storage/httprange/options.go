// Package httprange reads files on web servers by HTTP range requests.
//
// [Open] returns a file for OpenReader of packages frame, ndarray, store, npy and zarr, and [NewFS]
// a file system that lets their Open take URLs. Opening takes one round of requests;
// docs/remote.md says what each read costs. A file that changes while it is open is an error that
// matches cairn.ErrConflict, never a mixture.
package httprange

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"path"
	"time"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/storage"
	"github.com/cairn-go/cairn/storage/diskcache"
)

// Options are the options of [Open] and [NewFS]. Zero fields have their defaults. Formatting
// them with any verb shows nothing of them, because they hold credentials.
type Options struct {
	storage.RangeOptions

	// Header is added to every request to the host of the URL, and sent to no other host.
	Header http.Header
	// User and Password, or Token, are sent to the host of the URL as basic or bearer credentials.
	// The user and password in a URL are used if these are empty.
	User, Password, Token string
	// OtherHosts allows redirects to other hosts. They get neither Header nor credentials. From
	// https, no redirect to http is followed.
	OtherHosts bool
	// Unpinned allows files for which the server sends neither an ETag nor the time of the last
	// change. Nothing but a change of their size is noticed.
	Unpinned bool
	// Whole is the size of files that are read as a whole from servers that do not know ranges, and
	// kept in memory while they are open: up to 256 MiB by default, none if negative.
	Whole int64

	// Idle is the longest time without a byte from the server, 30 seconds by default. Timeout is
	// the longest time of one attempt, 5 minutes by default.
	Idle, Timeout time.Duration
	// Attempts is how often a request is tried, 6 by default: after errors of the connection, and
	// after answers that say that the server is busy or has failed. The waits between attempts
	// begin with a tenth of a second and double. If the server says how long to wait, up to a
	// minute, that counts.
	Attempts int

	// Cache keeps what is read on disk, for other processes and later ones. Opening a file of which
	// something is kept takes one request, for its version. Files whose version is uncertain are
	// not kept: without an ETag and the time of the last change, or changed within the last two
	// seconds.
	Cache *diskcache.Cache

	// Transport performs the requests. By default each open file has its own, which takes proxies
	// from the environment, as [http.ProxyFromEnvironment] does, and is closed with the file.
	Transport http.RoundTripper
}

const (
	defaultRequests = 16
	defaultAttempts = 6
	defaultIdle     = 30 * time.Second
	defaultTimeout  = 5 * time.Minute
	defaultWhole    = 256 << 20 // bytes

	maxRedirects = 10
	maxHeader    = 64 << 10 // bytes of the header of an answer
)

// Format writes the name of the type.
func (Options) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte("httprange.Options{…}")) }

// withDefaults returns the options with defaults for zero fields; o may be nil.
func (o *Options) withDefaults() (Options, error) {
	var all Options
	if o != nil {
		all = *o
	}

	all.Requests = cmp.Or(all.Requests, defaultRequests)
	all.Attempts = cmp.Or(all.Attempts, defaultAttempts)
	all.Idle = cmp.Or(all.Idle, defaultIdle)
	all.Timeout = cmp.Or(all.Timeout, defaultTimeout)
	all.Whole = cmp.Or(all.Whole, defaultWhole)

	for _, field := range []struct {
		name  string
		value int64
	}{{"Requests", int64(all.Requests)}, {"Attempts", int64(all.Attempts)}, {"Idle", int64(all.Idle)},
		{"Timeout", int64(all.Timeout)}} {
		if field.value < 0 {
			return all, fmt.Errorf("httprange: option %s is negative: %w", field.name, cairn.ErrBounds)
		}
	}

	if all.Token != "" && all.User+all.Password != "" {
		return all, errors.New("httprange: options have both a Token and a User or Password")
	}
	return all, nil
}

// Open opens the file at a URL of scheme http or https for reading. Its methods are safe for
// concurrent use. The error matches fs.ErrNotExist or fs.ErrPermission if the server says so,
// and cairn.ErrUnsupported if the server does not answer range requests with ranges and the
// file is too large to be read whole. Errors contain neither credentials nor the query of the
// URL. The end of ctx ends opening and every later read, as the end of the context of a read
// does. o may be nil.
func Open(ctx context.Context, link string, o *Options) (storage.File, error) {
	c, at, err := newClient(link, o)
	if err != nil {
		return nil, err
	}

	var src storage.RangeReader = &source{client: c, url: at, small: isSmall(at)}
	if c.o.Cache != nil {
		src = c.o.Cache.Ranges(src, originOf(at))
	}

	f, err := storage.OpenRanges(ctx, src, &c.o.RangeOptions)
	if err != nil {
		_ = c.Close() // it never fails
		return nil, err
	}
	return f, nil
}

// isSmall reports whether a file is metadata of Zarr.
func isSmall(at *url.URL) bool {
	switch path.Base(at.Path) {
	case "zarr.json", ".zgroup", ".zarray", ".zattrs":
		return true
	}
	return false
}

// parse returns a URL without credentials. Errors of net/url would quote them.
func parse(link string, o *Options) (*url.URL, error) {
	at, err := url.Parse(link)
	if err != nil || at.Host == "" || at.Scheme != "http" && at.Scheme != "https" {
		return nil, fmt.Errorf("not a valid URL of scheme http or https: %w", cairn.ErrUnsupported)
	}

	if user := at.User; user != nil {
		if o.User+o.Password+o.Token == "" {
			o.User = user.Username()
			o.Password, _ = user.Password()
		}
		at.User = nil
	}

	at.Fragment = ""
	at.RawFragment = ""
	return at, nil
}

// nameOf returns a URL as it appears in errors: without the query, which may have a signature.
func nameOf(at *url.URL) string {
	named := *at
	named.User = nil
	if named.RawQuery != "" {
		named.RawQuery = "..."
	}
	return named.String()
}

// newTransport returns the transport of one open file.
func newTransport(requests int) *http.Transport {
	return &http.Transport{
		Proxy:                  proxy,
		DialContext:            (&net.Dialer{Timeout: defaultIdle}).DialContext,
		ForceAttemptHTTP2:      true,
		MaxIdleConns:           requests,
		MaxIdleConnsPerHost:    requests,
		IdleConnTimeout:        defaultIdle,
		TLSHandshakeTimeout:    defaultIdle,
		DisableCompression:     true,
		MaxResponseHeaderBytes: maxHeader,
	}
}

// proxy is http.ProxyFromEnvironment, without the credentials of an invalid address in the error.
func proxy(r *http.Request) (*url.URL, error) {
	at, err := http.ProxyFromEnvironment(r)
	if err != nil {
		return nil, errors.New("the address of the proxy in the environment is invalid")
	}
	return at, nil
}

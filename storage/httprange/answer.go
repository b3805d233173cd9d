package httprange

import (
	"fmt"
	"io/fs"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/cairn-go/cairn"
)

// An identity is what tells whether a file on a server is still the same.
type identity struct {
	size     int64
	tag      string // the ETag
	strong   bool   // whether equal tags mean equal bytes
	modified string // the time of the last change
	settled  bool   // whether another change would have another time
}

// identityOf returns what an answer says about a file of size bytes.
func identityOf(h http.Header, size int64) identity {
	id := identity{size: size, tag: h.Get("ETag"), modified: h.Get("Last-Modified")}
	id.strong = isStrong(id.tag)
	id.settled = id.modified == "" || isSettled(id.modified, h.Get("Date"))
	return id
}

// isSettled reports whether the last change of a file was long enough before the answer that
// another change would have another time, which is in seconds. Servers also make ETags from that
// time.
func isSettled(modified, answered string) bool {
	then, err := http.ParseTime(modified)
	now, also := http.ParseTime(answered)
	return err == nil && also == nil && now.Sub(then) >= 2*time.Second
}

// maxTag is the length of an ETag that is sent back.
const maxTag = 1024

// isStrong reports whether an ETag is a strong one.
func isStrong(tag string) bool {
	n := len(tag)
	if n < 2 || n > maxTag || tag[0] != '"' || tag[n-1] != '"' {
		return false
	}
	return !strings.ContainsFunc(tag[1:n-1], func(r rune) bool { return r <= ' ' || r == '"' || r == 0x7f })
}

// pinned reports whether a change of the file would be noticed.
func (id *identity) pinned() bool { return id.strong || id.modified != "" }

// version returns the version of an [storage.Object], empty if other bytes might have the same.
func (id *identity) version() string {
	switch {
	case !id.settled || !id.pinned():
		return ""
	case id.strong:
		return id.tag
	}
	return id.modified + "/" + strconv.FormatInt(id.size, 10) + "/" + id.tag
}

// same reports whether two answers are about the same bytes.
func (id *identity) same(other *identity) bool {
	if id.size != other.size {
		return false
	}

	if id.strong {
		return id.tag == other.tag
	}
	return id.tag == other.tag && id.modified == other.modified
}

// parseContentRange parses "bytes FIRST-LAST/SIZE", or "bytes */SIZE" with first and last -1. The
// size is -1 if it is "*".
func parseContentRange(s string) (first, last, size int64, ok bool) {
	s, ok = strings.CutPrefix(s, "bytes ")
	span, total, found := strings.Cut(s, "/")
	if !ok || !found {
		return 0, 0, 0, false
	}

	size = -1
	if total != "*" {
		if size, ok = parseDecimal(total); !ok {
			return 0, 0, 0, false
		}
	}

	if span == "*" {
		return -1, -1, size, size >= 0
	}

	from, to, found := strings.Cut(span, "-")
	first, ok = parseDecimal(from)
	if !ok || !found {
		return 0, 0, 0, false
	}
	last, ok = parseDecimal(to)
	return first, last, size, ok && first <= last && (size < 0 || last < size)
}

// parseDecimal parses digits.
func parseDecimal(s string) (int64, bool) {
	if s == "" || s[0] < '0' || s[0] > '9' {
		return 0, false
	}
	n, err := strconv.ParseInt(s, 10, 64)
	return n, err == nil
}

// maxWait is the longest wait between attempts that a server may ask for.
const maxWait = time.Minute

// parseRetryAfter returns the wait that a server asks for, 0 if it asks for none: a number of
// seconds or a date. A wait of more than maxWait may be returned as any other of more than that.
func parseRetryAfter(s string, now time.Time) time.Duration {
	if n, ok := parseDecimal(s); ok {
		return time.Duration(min(n, int64(maxWait/time.Second)+1)) * time.Second
	}

	if at, err := http.ParseTime(s); err == nil {
		return max(0, at.Sub(now))
	}
	return 0
}

// A failure is an error of one attempt.
type failure struct {
	err   error
	again bool          // whether another attempt may succeed
	wait  time.Duration // before it at least
}

func (f *failure) Error() string { return f.err.Error() }
func (f *failure) Unwrap() error { return f.err }

func refusef(kind error, format string, args ...any) error {
	return &failure{err: fmt.Errorf("%s: %w", fmt.Sprintf(format, args...), kind)}
}

// errChanged returns the error for a file that is no longer the one that was opened.
func errChanged() error {
	return refusef(cairn.ErrConflict, "the file has changed since it was opened")
}

// checkStatus returns the error that the status of an answer means, nil for 200, 206 and 416.
func checkStatus(resp *http.Response, pinned bool) error {
	code := resp.StatusCode

	switch code {
	case http.StatusOK, http.StatusPartialContent, http.StatusRequestedRangeNotSatisfiable:
		return nil
	case http.StatusPreconditionFailed:
		if pinned {
			return errChanged()
		}
	case http.StatusNotFound, http.StatusGone:
		return refusef(fs.ErrNotExist, "the server answers %s", statusText(code))
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusProxyAuthRequired:
		return refusef(fs.ErrPermission, "the server answers %s", statusText(code))
	case http.StatusRequestTimeout, http.StatusTooEarly, http.StatusTooManyRequests, http.StatusInternalServerError,
		http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		err := fmt.Errorf("the server answers %s", statusText(code))
		wait := parseRetryAfter(resp.Header.Get("Retry-After"), time.Now())
		if wait > maxWait {
			return &failure{err: fmt.Errorf("%w, and to wait for more than %v", err, maxWait)}
		}
		return &failure{err: err, again: true, wait: wait}
	}
	return &failure{err: fmt.Errorf("the server answers %s", statusText(code))}
}

func statusText(code int) string {
	return strings.TrimSpace(strconv.Itoa(code) + " " + http.StatusText(code))
}

// isPage reports whether a body is a web page.
func isPage(h http.Header) bool {
	kind, _, _ := mime.ParseMediaType(h.Get("Content-Type"))
	return kind == "text/html"
}

// checkForm refuses bodies that are not the bytes themselves.
func checkForm(h http.Header) error {
	if coding := h.Get("Content-Encoding"); coding != "" && !strings.EqualFold(coding, "identity") {
		return refusef(cairn.ErrUnsupported, "the server sends the file with content encoding %.40q", coding)
	}
	if kind, _, _ := mime.ParseMediaType(h.Get("Content-Type")); kind == "multipart/byteranges" {
		return refusef(cairn.ErrUnsupported, "the server answers a request for one range with several")
	}
	return nil
}

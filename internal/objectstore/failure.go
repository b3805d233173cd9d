package objectstore

import (
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"

	"github.com/cairn-go/cairn"
)

// Kind says what follows from a failure.
type Kind int

const (
	Permanent Kind = iota // nothing has changed, and another attempt would fail too
	Missing               // there is no such object
	Stale                 // the condition does not hold
	Denied                // the credentials do not suffice
	Outside               // the range is not within the object
	Busy                  // nothing has changed, and another attempt may succeed
	Doubtful              // the request may have been carried out, and another attempt may succeed
	Lost                  // the parts of an upload are gone; nothing has changed
)

// A Failure is why a request failed. Its text has no credentials: neither a URL, whose query may be
// a signature, nor the request's header.
type Failure struct {
	Kind   Kind
	Status int           // of HTTP; 0 if there was no answer
	Code   string        // the store's name of the error
	Detail string        // the store's explanation
	Wait   time.Duration // the least time before another attempt, if the store asks for one
	Err    error         // the cause, if there was no answer
}

// Answered returns the Failure of a request that was answered by an error.
func Answered(status int, code, detail, retryAfter string) *Failure {
	f := &Failure{Status: status, Code: code, Detail: detail, Wait: waitOf(retryAfter)}
	switch {
	case status == http.StatusNotFound || status == http.StatusGone:
		f.Kind = Missing
	case status == http.StatusPreconditionFailed:
		f.Kind = Stale
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		f.Kind = Denied
	case status == http.StatusRequestedRangeNotSatisfiable:
		f.Kind = Outside
	case status == http.StatusTooManyRequests:
		f.Kind = Busy
	case status == http.StatusRequestTimeout || status >= 500 && status != http.StatusNotImplemented:
		f.Kind = Doubtful
	}
	return f
}

// Unanswered returns the Failure of a request without an answer, or with one that broke off.
func Unanswered(err error) *Failure { return &Failure{Kind: Doubtful, Err: err} }

// waitOf parses a Retry-After header.
func waitOf(s string) time.Duration {
	if d, err := time.ParseDuration(s + "s"); err == nil {
		return max(0, d)
	}
	if at, err := http.ParseTime(s); err == nil {
		return max(0, time.Until(at))
	}
	return 0
}

// kindOf returns what follows from the error of a Client.
func kindOf(err error) Kind {
	var f *Failure
	if errors.As(err, &f) {
		return f.Kind
	}
	return Permanent
}

// Error returns a clause such as "permission denied (403 AccessDenied): …".
func (f *Failure) Error() string {
	var b strings.Builder
	switch f.Kind {
	case Missing:
		b.WriteString("does not exist")
	case Stale:
		b.WriteString("has changed")
	case Denied:
		b.WriteString("permission denied")
	case Outside:
		b.WriteString("range outside of the object")
	default:
		b.WriteString("request failed")
	}

	if f.Status != 0 {
		fmt.Fprintf(&b, " (%d %s)", f.Status, strings.TrimSpace(f.Code))
	}
	if f.Detail != "" {
		b.WriteString(": " + shown(f.Detail))
	}
	if f.Err != nil {
		b.WriteString(": " + shown(plain(f.Err)))
	}
	return b.String()
}

// plain returns the text of an error without the URL of the request.
func plain(err error) string {
	var u *url.Error
	if errors.As(err, &u) {
		return u.Err.Error()
	}
	return err.Error()
}

var query = regexp.MustCompile(`\?[^\s"']*`)

// shown bounds a text from outside, on one line, and cuts queries of URLs out.
func shown(s string) string {
	s = query.ReplaceAllString(strings.Join(strings.Fields(s), " "), "?…")
	const most = 300
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "") + "…"
	}
	return s
}

// Is makes failures match the errors of package storage.
func (f *Failure) Is(target error) bool {
	switch f.Kind {
	case Missing:
		return target == fs.ErrNotExist
	case Stale:
		return target == cairn.ErrConflict
	case Denied:
		return target == fs.ErrPermission
	case Outside:
		return target == cairn.ErrBounds
	}
	return false
}

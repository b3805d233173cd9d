package httprange

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"sync"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/storage"
)

// A query is a request for a range of a file.
type query struct {
	url  *url.URL
	off  int64     // of the first byte; if negative, the last bytes are wanted
	data []byte    // filled; becomes shorter if the file has less
	done int       // bytes of data that have arrived
	id   *identity // the answer must have it; nil until the first answer

	all  bool  // all bytes are wanted, without a range
	most int64 // bytes that all may be
}

// accept checks the header of an answer.
func (q *query) accept(resp *http.Response, unpinned bool) error {
	if err := checkStatus(resp, q.id != nil); err != nil {
		return err
	}

	if q.all {
		// Check the header of an answer with all of a file. Each attempt begins anew, so a
		// file that is read this way needs no version.
		id := identityOf(resp.Header, resp.ContentLength)
		switch {
		case resp.StatusCode != http.StatusOK:
			return refusef(cairn.ErrUnsupported, "the server answers %s", statusText(resp.StatusCode))
		case id.size < 0 || id.size > q.most:
			return &failure{err: &wholeError{id}}
		case q.id != nil && !q.id.same(&id):
			return errChanged()
		}
		q.id, q.done, q.data = &id, 0, q.data[:0]
		return checkForm(resp.Header)
	}

	first, last, size, ok := parseContentRange(resp.Header.Get("Content-Range"))
	switch resp.StatusCode {
	case http.StatusOK:
		id := identityOf(resp.Header, resp.ContentLength)
		switch {
		case q.id != nil && id.size >= 0 && !q.id.same(&id):
			return errChanged()
		case (q.id != nil || id.size != 0) && isPage(resp.Header):
			return refusef(cairn.ErrUnsupported, "the server answers with a web page instead of a part of a file; "+
				"give the URL of the file itself")
		case q.id != nil || id.size != 0:
			return &failure{err: &wholeError{id}}
		}
		return q.pin(id, unpinned)
	case http.StatusRequestedRangeNotSatisfiable:
		switch {
		case q.id != nil && ok && size != q.id.size:
			return errChanged()
		case q.id != nil || !ok || size != 0:
			return refusef(cairn.ErrUnsupported, "the server answers %s", statusText(resp.StatusCode))
		}
		return q.pin(identityOf(resp.Header, 0), true)
	}

	if err := checkForm(resp.Header); err != nil {
		return err
	}
	if !ok || first < 0 {
		return refusef(cairn.ErrUnsupported, "the server answers with an invalid Content-Range")
	}
	return q.acceptPart(resp, first, last, size, unpinned)
}

// A wholeError says that a request for a range was answered with all of a file.
type wholeError struct{ id identity }

func (*wholeError) Error() string {
	return "the server does not support range requests: it answers with the whole file, so download it first, " +
		"such as with curl -LO URL"
}

func (*wholeError) Unwrap() error { return cairn.ErrUnsupported }

// more reports whether bytes are missing, and has room for some of them. What a server announces is
// not believed before an eighth of it has arrived.
func (q *query) more() bool {
	if q.all && q.done == len(q.data) {
		room := min(q.id.size, max(1<<20, 8*int64(q.done)))
		q.data = append(make([]byte, 0, room), q.data...)[:room]
	}
	return q.done < len(q.data)
}

// acceptPart checks an answer with the bytes from first to last of a file of size bytes.
func (q *query) acceptPart(resp *http.Response, first, last, size int64, unpinned bool) error {
	if q.id == nil {
		if size < 0 {
			return refusef(cairn.ErrUnsupported, "the server does not tell the size of the file")
		}
		if err := q.pin(identityOf(resp.Header, size), unpinned); err != nil {
			return err
		}
	} else {
		if size < 0 {
			size = q.id.size
		}
		if id := identityOf(resp.Header, size); !q.id.same(&id) {
			return errChanged()
		}
	}

	from := q.off + int64(q.done)
	to := q.off + int64(len(q.data)) - 1
	if first != from || last != to {
		return refusef(cairn.ErrUnsupported, "the server answers with bytes %d to %d instead of %d to %d",
			first, last, from, to)
	}

	if n := resp.ContentLength; n >= 0 && n != last-first+1 {
		return refusef(cairn.ErrUnsupported, "the server sends %d bytes for bytes %d to %d", n, first, last)
	}
	return nil
}

// pin takes the identity of the first answer, and with the size where the wanted bytes are.
func (q *query) pin(id identity, unpinned bool) error {
	if !unpinned && !id.pinned() {
		return refusef(cairn.ErrUnsupported, "the server sends neither an ETag nor the time of the last change,"+
			" so that changes would go unnoticed")
	}

	q.id = &id
	if q.off < 0 {
		q.off = max(0, id.size-int64(len(q.data)))
	}
	q.data = q.data[:min(int64(len(q.data)), max(0, id.size-q.off))]
	return nil
}

// A source is a file on a server.
type source struct {
	*client
	url   *url.URL
	small bool // it is probably so small that its first bytes are all

	mu sync.Mutex
	id *identity // nil until Stat or ReadEnds

	loading sync.Mutex
	whole   []byte // all of the file, once it has been read as a whole
}

// known returns the identity that reads require, which it takes from found the first time.
func (s *source) known(found *identity) (*identity, error) {
	s.mu.Lock()
	defer s.mu.Unlock()

	switch {
	case s.id == nil:
		s.id = found
	case found != nil && !s.id.same(found):
		return nil, errChanged()
	}
	return s.id, nil
}

func (s *source) object(id *identity) storage.Object {
	return storage.Object{Name: nameOf(s.url), Size: id.size, Version: id.version()}
}

// Stat asks for the first byte, which tells more than the answer to HEAD.
func (s *source) Stat(ctx context.Context) (storage.Object, error) {
	at, _, _, err := s.ends(ctx, 1, 0)
	return at, err
}

// ReadEnds reads the first and the last bytes by two requests at the same time, or small files by
// one.
func (s *source) ReadEnds(ctx context.Context, head, tail int) (at storage.Object, first, last []byte, err error) {
	return s.ends(ctx, head, tail)
}

func (s *source) ends(ctx context.Context, head, tail int) (storage.Object, []byte, []byte, error) {
	id, err := s.known(nil)
	if err != nil {
		return storage.Object{Name: nameOf(s.url)}, nil, nil, err
	}

	front := &query{url: s.url, data: make([]byte, head), id: id}
	back := &query{url: s.url, off: -1, data: make([]byte, tail), id: id}

	var failed error
	var wg sync.WaitGroup
	within, cancel := context.WithCancel(ctx)
	defer cancel()

	if tail > 0 && !s.small {
		wg.Go(func() { failed = s.fill(within, back) })
	}
	if err = s.fill(ctx, front); err != nil || front.id.size <= int64(head) {
		cancel() // there is no more to read
	}

	wg.Wait()

	var only *wholeError
	if errors.As(err, &only) {
		return s.wholeEnds(ctx, only, head, tail)
	}

	// Requests for both ends ran at once, and either may have found out what the file is.
	if err != nil {
		return storage.Object{Name: nameOf(s.url)}, nil, nil, err
	}

	id, err = s.known(front.id)
	if err != nil {
		return storage.Object{Name: nameOf(s.url)}, nil, nil, err
	}

	switch n := min(int64(tail), id.size); {
	case id.size <= int64(head):
		return s.object(id), front.data, front.data[id.size-n:], nil
	case tail > 0 && (s.small || failed != nil || !id.same(back.id)):
		// Not every server knows ranges that count from the end.
		back = &query{url: s.url, off: id.size - n, data: make([]byte, n), id: id}
		err = s.fill(ctx, back)
	}
	return s.object(id), front.data, back.data, err
}

// wholeEnds is ends for a file that the server sends only as a whole.
func (s *source) wholeEnds(ctx context.Context, only *wholeError, head, tail int) (
	at storage.Object, first, last []byte, err error,
) {
	at = storage.Object{Name: nameOf(s.url)}
	if only.id.size < 0 || only.id.size > s.o.Whole {
		return at, nil, nil, only
	}
	id, err := s.known(&only.id)
	if err != nil {
		return at, nil, nil, err
	}

	at = s.object(id)
	if tail == 0 { // of Stat, which wants to know the size and the version
		return at, nil, nil, nil
	}

	all, err := s.load(ctx, only)
	if err != nil {
		return at, nil, nil, err
	}
	return at, all[:min(head, len(all))], all[len(all)-min(tail, len(all)):], nil
}

// load returns all of the file, which it reads once. Otherwise only is the error.
func (s *source) load(ctx context.Context, only *wholeError) ([]byte, error) {
	s.loading.Lock()
	defer s.loading.Unlock()
	if s.whole != nil {
		return s.whole, nil
	}

	id, err := s.known(nil)
	if err != nil {
		return nil, err
	}

	if id == nil || id.size > s.o.Whole || only.id.size < 0 {
		return nil, only
	}

	q := &query{url: s.url, id: id, all: true, most: s.o.Whole}
	if err := s.fill(ctx, q); err != nil {
		return nil, err
	}
	s.whole = q.data
	return s.whole, nil
}

// ReadRanges fills each range by a request of its own, or from the whole file if it is there.
func (s *source) ReadRanges(ctx context.Context, ranges []storage.Range) error {
	s.loading.Lock()
	all := s.whole
	s.loading.Unlock()

	if all != nil {
		copyRanges(ranges, all)
		return nil
	}

	id, err := s.known(nil)
	if err != nil {
		return err
	}

	if id == nil {
		if _, err := s.Stat(ctx); err != nil {
			return err
		}
		if id, err = s.known(nil); err != nil {
			return err
		}
	}

	err = s.fillAll(ctx, s.url, id, ranges)
	var only *wholeError
	if !errors.As(err, &only) {
		return err
	}

	all, err = s.load(ctx, only)
	if err != nil {
		return err
	}
	copyRanges(ranges, all)
	return nil
}

func copyRanges(ranges []storage.Range, all []byte) {
	for _, r := range ranges {
		copy(r.Data, all[r.Off:])
	}
}

// fillAll fills ranges of a file by concurrent requests.
func (c *client) fillAll(ctx context.Context, at *url.URL, id *identity, ranges []storage.Range) error {
	within, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var wg sync.WaitGroup

	for _, r := range ranges {
		if len(r.Data) == 0 {
			continue
		}
		wg.Go(func() {
			if err := c.fill(within, &query{url: at, off: r.Off, data: r.Data, id: id}); err != nil {
				cancel(err) // the others are not needed
			}
		})
	}

	wg.Wait()
	if err := ctx.Err(); err != nil {
		return err
	}
	return context.Cause(within)
}

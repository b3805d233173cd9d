package serve

import (
	"io"
	"net/http"
	"os"
	"sync/atomic"
	"time"
)

// writeTimeout is how long a client may take for some bytes of an answer before the connection
// ends.
const writeTimeout = 30 * time.Second

// answerPiece is how many bytes of an answer a client must take in that time.
const answerPiece = 256 << 10

// slowAfter is how long a client takes for as many bytes before it is slow: its request is set
// aside, and costs others nothing.
const slowAfter = 250 * time.Millisecond

// A recorder is a response writer that notes what is written.
type recorder struct {
	http.ResponseWriter
	timeout time.Duration
	begun   time.Time
	route   string
	head    bool
	status  int // 0 until the header is written
	bytes   int64
	cause   error // of a status from 500 on

	visit *visit      // nil for what needs none
	slow  *time.Timer // runs while the answer is written
	ended atomic.Bool // nothing more can be written
}

// watch has a request set aside if the client is slow.
func (w *recorder) watch(v *visit) {
	w.visit = v
	w.slow = time.AfterFunc(time.Hour, func() {
		if !v.setAside() {
			w.slow.Reset(slowAfter / 10)
		}
	})
	w.slow.Stop()
}

// unwatch ends watching.
func (w *recorder) unwatch() {
	w.slow.Stop()
	w.visit = nil
}

// end makes the write in progress fail, and all later ones.
func (w *recorder) end() {
	w.ended.Store(true)
	_ = http.NewResponseController(w.ResponseWriter).SetWriteDeadline(time.Unix(1, 0))
}

func (w *recorder) code() int { return max(w.status, 200) }

// begin begins to write something, which ends the connection unless the client takes it in time.
func (w *recorder) begin() error {
	_ = http.NewResponseController(w.ResponseWriter).SetWriteDeadline(time.Now().Add(w.timeout))
	if w.visit != nil {
		w.visit.Writes(true)
		w.slow.Reset(slowAfter)
	}

	// after the deadline, which end may have set before
	if w.ended.Load() {
		w.end()
		return os.ErrDeadlineExceeded
	}
	return nil
}

// done ends what begin began.
func (w *recorder) done() {
	if w.visit != nil {
		w.slow.Stop()
		w.visit.Writes(false)
	}
}

func (w *recorder) WriteHeader(status int) {
	if w.status == 0 && status >= 200 {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *recorder) Write(p []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}

	done := 0
	for done < len(p) || len(p) == 0 {
		if err := w.begin(); err != nil {
			return done, err
		}
		n, err := w.ResponseWriter.Write(p[done:min(len(p), done+answerPiece)])
		w.done()
		done += n
		if !w.head {
			w.bytes += int64(n)
		}
		if err != nil || len(p) == 0 {
			return done, err
		}
	}
	return done, nil
}

// ReadFrom lets the operating system copy a file to the connection.
func (w *recorder) ReadFrom(r io.Reader) (total int64, err error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}

	limited, ok := r.(*io.LimitedReader)
	if !ok {
		return io.Copy(struct{ io.Writer }{w}, r)
	}

	for limited.N > 0 {
		if err := w.begin(); err != nil {
			return total, err
		}
		part := io.LimitedReader{R: limited.R, N: min(limited.N, answerPiece)}
		n, err := io.Copy(w.ResponseWriter, &part)
		w.done()
		total += n
		limited.N -= n
		w.bytes += n
		if err != nil || n == 0 {
			return total, err
		}
	}
	return total, nil
}

// Unwrap is for http.ResponseController.
func (w *recorder) Unwrap() http.ResponseWriter { return w.ResponseWriter }

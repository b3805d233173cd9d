package serve

import (
	"io"
	"net/http"
	"time"
)

// writeTimeout is how long a client may take for some bytes of an answer before the connection
// ends.
const writeTimeout = 30 * time.Second

// filePiece is how many bytes of a file a client must take in that time.
const filePiece = 1 << 20

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
}

func (w *recorder) code() int { return max(w.status, 200) }

// setDeadline ends the connection unless the client takes what is written next in time.
func (w *recorder) setDeadline() {
	_ = http.NewResponseController(w.ResponseWriter).SetWriteDeadline(time.Now().Add(w.timeout))
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
		w.setDeadline()
		n, err := w.ResponseWriter.Write(p[done:min(len(p), done+filePiece)])
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
		w.setDeadline()
		part := io.LimitedReader{R: limited.R, N: min(limited.N, filePiece)}
		n, err := io.Copy(w.ResponseWriter, &part)
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

package cells

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"io"

	"github.com/cairn-go/cairn/internal/show/chart"
)

// WriteKitty shows a picture in a terminal that knows kitty's graphics protocol, as wide as some
// columns of text.
func WriteKitty(w io.Writer, p *chart.Picture, columns int) error {
	var picture, out bytes.Buffer
	if err := p.WritePNG(&picture); err != nil {
		return err
	}

	data := base64.StdEncoding.EncodeToString(picture.Bytes())
	const part = 4096
	control := fmt.Sprintf("f=100,a=T,q=2,c=%d,", columns)
	for len(data) > 0 {
		n := min(part, len(data))
		more := 1
		if n == len(data) {
			more = 0
		}
		fmt.Fprintf(&out, "\x1b_G%sm=%d;%s\x1b\\", control, more, data[:n])
		control, data = "", data[n:]
	}

	_, err := w.Write(out.Bytes())
	return err
}

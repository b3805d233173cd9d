package formats

import (
	"testing"

	"github.com/cairn-go/cairn/ndarray"
)

// TestZarrIsChecked looks for what has chunks decoded and compared.
func TestZarrIsChecked(t *testing.T) {
	for want, o := range map[bool]Options{false: {}, true: {CopyOptions: ndarray.CopyOptions{Checked: true}}} {
		for _, pcodec := range []bool{false, true} {
			o.Pcodec = pcodec
			z, err := zarrOptions(&o)
			if err != nil || z.Checked != (want || pcodec) {
				t.Errorf("Checked %v, Pcodec %v: %+v, %v", want, pcodec, z, err)
			}
		}
	}
}

package suggest_test

import (
	"fmt"
	"testing"

	"github.com/cairn-go/cairn/internal/suggest"
)

func ExampleQuestion() {
	codecs := []string{"blosclz", "lz4", "lz4hc", "zlib", "zstd"}
	fmt.Println("unknown codec" + suggest.Question("zsdt", codecs))
	fmt.Println("unknown codec" + suggest.Question("jpeg", codecs))
	// Output:
	// unknown codec; did you mean zstd?
	// unknown codec
}

func TestQuestion(t *testing.T) {
	names := []string{"export", "import", "info", "verify", "job", "T", "/model/run1/level", "/model/run1/z", "/t2m"}
	for name, want := range map[string]string{
		"inof": "info", "exp": "export", "imprt": "import", "veryfi": "verify", "INFO": "info", "": "", "xyzzy": "",
		// as many characters would do for a name, but not of one so short
		"foo": "", "jbo": "job", "x": "", "tx": "", "t": "T", "/model/run1/lat": "", "/model/run1/levle": "/model/run1/level",
		"/model/run1/t2m": "", "/T2M": "/t2m",
	} {
		if want != "" {
			want = "; did you mean " + want + "?"
		}
		if got := suggest.Question(name, names); got != want {
			t.Errorf("for %q: %q, want %q", name, got, want)
		}
	}
}

package shuffle_test

import (
	"testing"

	"github.com/cairn-go/cairn/shuffle"
)

func TestSpecText(t *testing.T) {
	for text, spec := range map[string]shuffle.Spec{
		"none":          shuffle.None,
		"shuffle":       shuffle.Byte,
		"shuffle:4":     {ID: shuffle.IDByte, Meta: 4},
		"bitshuffle":    shuffle.Bit,
		"bitshuffle:1":  {ID: shuffle.IDBit, Meta: 1},
		"delta":         shuffle.Delta,
		"trunc_prec:10": shuffle.TruncPrec(10),
		"trunc_prec:-3": shuffle.TruncPrec(-3),
		"trunc_prec:0":  shuffle.TruncPrec(0),
		"bytedelta:8":   {ID: 35, Meta: 8},
		"ndcell:4":      {ID: 32, Meta: 4},
		"ndmean:7":      {ID: 33, Meta: 7},
		"int_trunc:-5":  {ID: 36, Meta: 251},
		"filter 7":      {ID: 7},
		"filter 200:3":  {ID: 200, Meta: 3},
	} {
		if got := spec.String(); got != text {
			t.Errorf("%#v prints as %q, want %q", spec, got, text)
		}
		if got, err := shuffle.ParseSpec(text); err != nil || got != spec {
			t.Errorf("%q parses as %#v, %v", text, got, err)
		}
	}
}

func TestParseSpecRefuses(t *testing.T) {
	for _, text := range []string{
		"", ":", "Shuffle", "shuffle:", "shuffle:x", "shuffle:256", "shuffle:-1", "trunc_prec", "trunc_prec:128", "trunc_prec:-129",
		"filter", "filter ", "filter 256", "filter -1", "delta:1:2",
	} {
		if got, err := shuffle.ParseSpec(text); err == nil {
			t.Errorf("%q parses as %v", text, got)
		}
	}
}

package shuffle_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/filterchain"
	"github.com/cairn-go/cairn/internal/test/filtertest"
	"github.com/cairn-go/cairn/shuffle"
)

// invert is a user's filter: it is its own inverse.
func invert(dst, src []byte, meta uint8, _ *shuffle.Context) error {
	for i, b := range src {
		dst[i] = ^b ^ meta
	}
	return nil
}

func invertRow() shuffle.Row {
	return shuffle.Row{ID: 160, Name: "invert", Forward: invert, Backward: invert}
}

func TestUserFilterConforms(t *testing.T) { filtertest.Run(t, invertRow()) }

func TestRegistryAdd(t *testing.T) {
	r := new(shuffle.Registry)
	if err := r.Add(invertRow()); err != nil {
		t.Fatal(err)
	}
	for want, change := range map[string]func(*shuffle.Row){
		"is taken":       func(*shuffle.Row) {},
		"not a user's":   func(row *shuffle.Row) { row.ID = 159 },
		"no name":        func(row *shuffle.Row) { row.ID, row.Name = 161, "" },
		"no Forward":     func(row *shuffle.Row) { row.ID, row.Forward = 161, nil },
		"only some of P": func(row *shuffle.Row) { row.ID, row.Planes = 161, func(int, uint8, *shuffle.Context) int { return 1 } },
	} {
		row := invertRow()
		change(&row)
		if err := r.Add(row); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("adding a bad row gives %v, want %q", err, want)
		}
	}
	var none *shuffle.Registry
	if err := none.Add(invertRow()); err == nil {
		t.Error("a nil Registry takes a row")
	}
}

func TestRegistryLookup(t *testing.T) {
	var none *shuffle.Registry
	own := new(shuffle.Registry)
	if err := own.Add(invertRow()); err != nil {
		t.Fatal(err)
	}
	for _, row := range shuffle.Rows() {
		if got, err := none.Lookup(row.ID); err != nil || got.Name != row.Name {
			t.Errorf("filter %d: %q, %v", row.ID, got.Name, err)
		}
	}
	if got, err := own.Lookup(160); err != nil || got.Name != "invert" {
		t.Errorf("registered filter: %q, %v", got.Name, err)
	}
	if _, err := none.Lookup(160); !errors.Is(err, cairn.ErrUnsupported) {
		t.Errorf("filter that is not registered: %v", err)
	}
}

// TestUserFilterFails checks that both directions return a filter's own error, with the filter's
// name.
func TestUserFilterFails(t *testing.T) {
	broken := errors.New("no such luck")
	fail := func([]byte, []byte, uint8, *shuffle.Context) error { return broken }
	r := new(shuffle.Registry)
	if err := r.Add(shuffle.Row{ID: 170, Name: "unlucky", Forward: fail, Backward: fail}); err != nil {
		t.Fatal(err)
	}
	var c filterchain.Chain
	ctx, src := &shuffle.Context{TypeSize: 4}, make([]byte, 16)
	for _, p := range []shuffle.Pipeline{{{ID: 170}}, {{ID: 170}, shuffle.Byte}} {
		if err := c.Set(p, r); err != nil {
			t.Fatal(err)
		}
		_, _, forward := c.Forward(new(filterchain.Scratch), src, 1, ctx)
		backward := c.Backward(make([]byte, 16), new(filterchain.Scratch), src, 16, 1, ctx)
		for _, err := range []error{forward, backward} {
			if !errors.Is(err, broken) || !strings.Contains(err.Error(), "filter 170 (unlucky)") {
				t.Errorf("%v: error is %v", p, err)
			}
		}
	}
}

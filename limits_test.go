package cairn_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/cairn-go/cairn"
)

// TestLimitsFields checks by reflection that every field has a default and a check.
func TestLimitsFields(t *testing.T) {
	typ := reflect.TypeFor[cairn.Limits]()
	defaults := reflect.ValueOf(cairn.Limits{}.WithDefaults())
	for i := range typ.NumField() {
		name := typ.Field(i).Name
		if defaults.Field(i).Int() <= 0 {
			t.Errorf("%s has no default", name)
		}

		var set cairn.Limits
		reflect.ValueOf(&set).Elem().Field(i).SetInt(7)
		if got := reflect.ValueOf(set.WithDefaults()).Field(i).Int(); got != 7 {
			t.Errorf("%s: 7 became %d", name, got)
		}

		reflect.ValueOf(&set).Elem().Field(i).SetInt(-1)
		if err := set.Validate(); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: -1 gives %v", name, err)
		}
	}
}

func TestLimitsValid(t *testing.T) {
	for _, l := range []cairn.Limits{{}, cairn.Limits{}.WithDefaults(), {MaxAlloc: 1}} {
		if err := l.Validate(); err != nil {
			t.Errorf("%+v: %v", l, err)
		}
	}
}

package ndarray

import (
	"errors"
	"testing"

	"github.com/cairn-go/cairn"
)

func TestStructuresWithoutFieldsAreRefused(t *testing.T) {
	_, err := Items(make([]struct{}, 3), Shape{3}).Read(t.Context())
	if !errors.Is(err, cairn.ErrType) {
		t.Errorf("items without fields: %v", err)
	}
}

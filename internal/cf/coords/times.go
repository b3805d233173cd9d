package coords

import (
	"context"
	"fmt"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/cf/cftime"
)

// Times returns all coordinates as times, and the scale of their numbers. It fails if they are no
// times, or one is missing.
func (x *Axis) Times(ctx context.Context) ([]cftime.Time, cftime.Scale, error) {
	have, err := x.HasCoordinates(ctx)
	if err != nil {
		return nil, cftime.Scale{}, err
	}
	if !have {
		return nil, cftime.Scale{}, fmt.Errorf("%s has no coordinates: %w", x.named(), cairn.ErrNotFound)
	}
	if x.coordinates.scale == nil {
		return nil, cftime.Scale{}, fmt.Errorf("the coordinates of %s are no times: %w", x.named(), cairn.ErrType)
	}

	var times []cftime.Time
	err = x.scan(ctx, func(i int64, v value) error {
		if v.missing() {
			return fmt.Errorf("time %d of %s is missing, or farther than dates reach: %w", i, x.named(), cairn.ErrUnsupported)
		}
		times = append(times, v.time())
		return nil
	})
	return times, *x.coordinates.scale, err
}

func (x *Axis) named() string {
	if x.Name == "" {
		return "the axis"
	}
	return x.Name
}

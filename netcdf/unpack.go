package netcdf

import (
	"github.com/cairn-go/cairn/internal/cf/values"
	"github.com/cairn-go/cairn/ndarray"
)

// Unpack returns the values that the items of an array of any format stand for, as attributes say:
// items × scale_factor + add_offset, NaN for those that equal _FillValue or missing_value, and
// integers of the other sign if _Unsigned says so. It returns src itself if items are the values,
// as those are that are no real numbers.
//
// Values and their dtype are those that xarray has. Attributes that have been applied are gone, and
// _FillValue is NaN where values can be missing.
func Unpack(src ndarray.Labelled) (ndarray.Labelled, error) { return values.Of(src, nil) }

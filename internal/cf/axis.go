package cf

import (
	"strings"

	"github.com/cairn-go/cairn/meta"
)

// An Axis is the direction that coordinates run in, by the name that CF gives it; 0 is none.
type Axis byte

// The axes of space and time.
const (
	X Axis = 'X' // longitudes, and eastward coordinates of projections
	Y Axis = 'Y'
	Z Axis = 'Z' // heights, depths and pressures
	T Axis = 'T'
)

// axisOfNames are standard names of coordinates.
var axisOfNames = map[string]Axis{
	"longitude": X, "grid_longitude": X, "projection_x_coordinate": X, "projection_x_angular_coordinate": X,
	"latitude": Y, "grid_latitude": Y, "projection_y_coordinate": Y, "projection_y_angular_coordinate": Y,
	"time": T, "forecast_reference_time": T,
	"height": Z, "altitude": Z, "depth": Z, "air_pressure": Z, "model_level_number": Z, "geopotential_height": Z,
	"height_above_geopotential_datum": Z, "height_above_reference_ellipsoid": Z, "height_above_mean_sea_level": Z,
	"atmosphere_sigma_coordinate": Z, "atmosphere_hybrid_sigma_pressure_coordinate": Z,
	"atmosphere_hybrid_height_coordinate": Z, "atmosphere_ln_pressure_coordinate": Z,
	"ocean_sigma_coordinate": Z, "ocean_s_coordinate": Z, "ocean_s_coordinate_g1": Z, "ocean_s_coordinate_g2": Z,
	"ocean_sigma_z_coordinate": Z, "ocean_double_sigma_coordinate": Z,
}

// pressures are units of vertical coordinates.
var pressures = []string{"Pa", "hPa", "kPa", "dbar", "bar", "atm", "decibar"}

// AxisOf returns the axis of coordinates with a dtype and attributes, by the rules of CF: what the
// attribute axis says, a standard name, a unit, or that some direction is positive.
func AxisOf(d meta.DType, attributes meta.Map) Axis {
	switch a := strings.ToUpper(Text(attributes, "axis")); a {
	case "X", "Y", "Z", "T":
		return Axis(a[0])
	}

	m := Of(d, attributes)
	name, _, _ := strings.Cut(m.StandardName, " ") // of a modifier
	if axis, ok := axisOfNames[name]; ok {
		return axis
	}

	switch {
	case m.Time != nil || d.Kind() == 'M':
		return T
	case SameUnit(m.Unit, "degrees_north"):
		return Y
	case SameUnit(m.Unit, "degrees_east"):
		return X
	}

	switch strings.ToLower(Text(attributes, "positive")) {
	case "up", "down":
		return Z
	}

	for _, unit := range pressures {
		if SameUnit(m.Unit, unit) {
			return Z
		}
	}
	return 0
}

// Around returns after how much the values of coordinates stand for the same places again: 360 for
// longitudes in degrees, and 0 for what does not run around a circle.
func (m *Meaning) Around() float64 {
	name, _, _ := strings.Cut(m.StandardName, " ")
	longitude := name == "longitude" || name == "grid_longitude"
	if SameUnit(m.Unit, "degrees_east") || longitude && SameUnit(m.Unit, "degrees") {
		return 360
	}
	return 0
}

// Areas returns the name of the array with the areas of the cells of an array, or "".
func Areas(attributes meta.Map) string {
	words := strings.Fields(Text(attributes, "cell_measures"))
	for i, word := range words[:max(0, len(words)-1)] {
		if word == "area:" {
			return words[i+1]
		}
	}
	return ""
}

package rows

import "testing"

// TestShort checks that rounding reaches the parts of complex numbers and of arrays.
func TestShort(t *testing.T) {
	for text, want := range map[string]string{
		"1.23456789123":                "1.2345679",
		"1.23456789123-9.87654321e-8j": "1.2345679-9.8765432e-08j",
		"-1.5e-09+NaNj":                "-1.5e-09+NaNj",
		"[0.123456789123 2 3.5]":       "[0.12345679 2 3.5]",
		"2024-01-01T00:00:00.123456":   "2024-01-01T00:00:00.123456",
		`"1.23456789123j"`:             `"1.23456789123j"`,
	} {
		if got := short(text); got != want {
			t.Errorf("%s is shown as %s, want %s", text, got, want)
		}
	}
}

package rows

import "testing"

func TestCSVTexts(t *testing.T) {
	for text, want := range map[string]string{
		"":                   "",
		"plain, text":        "plain, text",
		"=cmd|' /C calc'!A0": "'=cmd|' /C calc'!A0",
		"+1+2":               "'+1+2",
		"-2+3":               "'-2+3",
		"@SUM(A1)":           "'@SUM(A1)",
		"\t=1":               "'\t=1",
		"  =1":               "'  =1",
		"-12.5":              "-12.5",
		"+1e3":               "+1e3",
		"-inf":               "-inf",
		"2020-01-01":         "2020-01-01",
		"red \x1b[31m":       `red \x1b[31m`,
		"\r=1":               "'\r=1",
		"a\nb\tc":            "a\nb\tc",
		"é \u00a0 𝄞 \u0301":  "é \u00a0 𝄞 \u0301",
		"\u009b31m":          `\x9b31m`,
	} {
		if got := csvText(text); got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
}

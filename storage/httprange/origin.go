package httprange

import (
	"net"
	"net/url"
	"slices"
	"strings"
)

// originOf returns what tells a file on a server from all others: its URL without credentials, also
// without those in the query that sign it and differ each time.
func originOf(at *url.URL) string {
	named := url.URL{Scheme: at.Scheme, Host: net.JoinHostPort(strings.ToLower(at.Hostname()), portOf(at)),
		Path: at.Path, RawPath: at.RawPath, RawQuery: unsigned(at.RawQuery)}
	return named.String()
}

// signings are the parameters of a query with which a URL is signed. The first of each is the
// signature; the others mean something else without it.
var signings = [...][]string{
	// Amazon's and Google's
	{"signature", "expires", "key-pair-id", "policy", "awsaccesskeyid", "googleaccessid"},
	// Azure's
	{"sig", "sv", "ss", "srt", "sp", "st", "se", "sr", "si", "sip", "spr", "skoid", "sktid", "skt", "ske", "sks",
		"skv"},
}

// unsigned returns a query without the parameters that sign it.
func unsigned(query string) string {
	parameters := strings.Split(query, "&")
	var without []string
	for _, names := range signings {
		if slices.ContainsFunc(parameters, func(p string) bool { return parameterOf(p) == names[0] }) {
			without = append(without, names...)
		}
	}

	return strings.Join(slices.DeleteFunc(parameters, func(p string) bool {
		name := parameterOf(p)
		return strings.HasPrefix(name, "x-amz-") || strings.HasPrefix(name, "x-goog-") || slices.Contains(without, name)
	}), "&")
}

// parameterOf returns the name of a parameter.
func parameterOf(parameter string) string {
	name, _, _ := strings.Cut(parameter, "=")
	return strings.ToLower(name)
}

module github.com/cairn-go/cairn/check

go 1.26.0

require github.com/cairn-go/cairn v0.0.0

require (
	github.com/golang/snappy v1.0.0 // indirect
	golang.org/x/sys v0.49.0 // indirect
)

replace github.com/cairn-go/cairn => ../

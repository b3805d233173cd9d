module github.com/cairn-go/cairn/bench

go 1.26.0

require (
	github.com/cairn-go/cairn v0.0.0
	github.com/klauspost/compress v1.20.3
	github.com/pierrec/lz4/v4 v4.1.33
	golang.org/x/sys v0.49.0
)

require github.com/golang/snappy v1.0.0 // indirect

replace github.com/cairn-go/cairn => ../

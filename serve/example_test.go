package serve_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"

	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/serve"
)

// A program serves an array of its own.
func ExampleNew() {
	array, err := ndarray.FromSlice([]float32{1, 2, 3, 4}, ndarray.Shape{2, 2}, nil)
	if err != nil {
		panic(err)
	}
	h, err := serve.New([]serve.Root{{Name: "t2m", Source: array}}, nil)
	if err != nil {
		panic(err)
	}
	defer h.Close()
	server := httptest.NewServer(h)
	defer server.Close()
	answer, err := http.Get(server.URL + "/api/v1/slice/t2m?s=1&format=json")
	if err != nil {
		panic(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	fmt.Print(string(body), err)
	// Output:
	// {"dtype":"<f4","shape":[2],"values":[3,4]}
	// <nil>
}

package main

import "fmt"

// count returns a number of things in words: "1 chunk", "2 chunks".
func count[N int | int64](n N, what string) string {
	switch {
	case n == 1:
		return "1 " + what
	case what == "leaf":
		return fmt.Sprintf("%d leaves", n)
	}
	return fmt.Sprintf("%d %ss", n, what)
}

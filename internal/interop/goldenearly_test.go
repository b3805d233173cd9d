package main

import (
	"context"
	"strings"
	"testing"

	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/internal/golden"
)

// TestGoldenBetasAreCopied copies the frames of the betas, whose chunks of version 4 do not tell what bitshuffle they have, to current ones.
func TestGoldenBetasAreCopied(t *testing.T) {
	found := 0
	for _, c := range cases(t, golden.Frame) {
		if !strings.HasPrefix(c.Name, "early-2.0.0b") {
			continue
		}
		found++
		f, err := frame.Open(c.Path(), nil)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if f.Info().Generation == frame.Current {
			t.Errorf("%s: a frame of today", c.Name)
		}
		copied, err := frame.NewCopy(context.Background(), f.View(), nil)
		if err != nil {
			t.Fatalf("%s: %v", c.Name, err)
		}
		defer copied.Close()
		raw, err := copied.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		again, err := frame.FromBytes(raw, nil)
		if err != nil {
			t.Fatal(err)
		}
		whole, err := decodeFrame(again)
		checkDecoded(t, c, whole, err)
	}
	if found < 21 {
		t.Errorf("%d frames of betas, want 7 of each of 3", found)
	}
}

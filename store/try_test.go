package store

import (
	"fmt"
	"testing"
)

func TestTry(t *testing.T) {
	for _, p := range []string{"t.b2d", "t.b2z", "d.b2z", "e.b2e"} {
		s, err := Open("/tmp/st/"+p, nil)
		if err != nil {
			t.Error(err)
			continue
		}
		fmt.Println(p, s.StoreKind())
		for l := range s.Leaves() {
			k, err := s.Kind(l.Key)
			fmt.Println(" ", l, k, err)
			if k == Array {
				u, err := s.Array(l.Key)
				if err != nil {
					t.Error(err)
					continue
				}
				b, err := u.Read(t.Context())
				fmt.Println("   ", u.DTypeString(), u.Shape(), len(b), err)
			}
		}
		a, err := s.Attributes("/")
		fmt.Println(a, err)
		a, err = s.Attributes("/g")
		fmt.Println(a, err)
		c, err := s.Children("/")
		fmt.Println(c, err)
	}
}

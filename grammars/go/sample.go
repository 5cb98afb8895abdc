// Package main is a sample.
package main

import (
	"fmt"
	str "strings"
)

const limit, name = 10, "none"

type Shape interface {
	Area(scale float64) (float64, error)
}

type Square[T any] struct {
	side int `json:"side"`
	next *Square[T]
}

func (s *Square[T]) Area(scale float64) (float64, error) {
	if s == nil || s.side < 0 {
		return 0, fmt.Errorf("no area: %v", s)
	} else if x := s.side * 2; x > limit {
		s.side = x
	}
	return float64(s.side) * scale, nil
}

func walk(items map[string][]int, done chan<- bool) {
	defer close(done)
outer:
	for key, list := range items {
		for i := 0; i < len(list); i++ {
			switch v := list[i]; {
			case v > 3:
				continue outer
			case v == 1, v == 2:
				fmt.Println(str.ToUpper(key), list[1:])
			default:
				break
			}
		}
	}
	done <- true
}

func main() {
	items := map[string][]int{"a": {1, 2, 3}, "b": nil}
	done := make(chan bool)
	go walk(items, done)
	select {
	case ok := <-done:
		fmt.Println(ok)
	}
	var shape Shape = &Square[int]{side: 3}
	if square, ok := shape.(*Square[int]); ok {
		func(s *Square[int]) { s.side++ }(square)
	}
}

type Table struct{ rows, columns int }

type length struct {
	meters int
}

func half(whole int) int {
	return whole / 2
}

func third(whole int) int {
	half(whole)
	return whole / 3
}

func fill(shape any, lines ...string) (count int) {
	table := &Table{rows: 1, columns: 2}
	var other *Table
	other = table
all:
	for _, line := range lines {
		switch value := shape.(type) {
		case int:
			fmt.Println(line, value, other)
			break all
		}
	}
	table.rows = third(3) + length{meters: 1}.meters
	return count
}

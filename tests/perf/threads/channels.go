// SPDX-License-Identifier: GPL-2.0-or-later
package main

import (
	"fmt"
	"sort"
	"sync"
)

func main() {
	jobs, results := make(chan int, 4), make(chan int, 4)
	var group sync.WaitGroup
	var lock sync.Mutex
	seen := map[int]int{}
	for w := 0; w < 4; w++ {
		group.Add(1)
		go func() {
			defer group.Done()
			for n := range jobs {
				values := make([]int, n)
				for i := range values {
					values[i] = (i * 37) % n
				}
				sort.Ints(values)
				lock.Lock()
				seen[n%7]++
				lock.Unlock()
				results <- values[n/2]
			}
		}()
	}
	go func() {
		for n := 1; n < 60; n++ {
			jobs <- n
		}
		close(jobs)
		group.Wait()
		close(results)
	}()
	sum := 0
	for r := range results {
		sum += r
	}
	fmt.Println(sum, len(seen))
}

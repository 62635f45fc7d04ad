package value

// SortStable sorts list; equal elements keep their order. It is here because the standard library's generic sorts are copied for
// each element type, 12 KB apiece.
//
// Up to 64 elements it compares what Node's sort compares, in the same order, so that even an order that contradicts itself (numbers
// beside text) gives the same list there.
func SortStable[T any](list []T, less func(a, b *T) bool) {
	if len(list) > 1 {
		mergeSort(list, make([]T, len(list)/2), less)
	}
}

func mergeSort[T any](list, room []T, less func(a, b *T) bool) {
	if len(list) < 64 {
		insertionSort(list, less)
		return
	}
	half := len(list) / 2
	mergeSort(list[:half], room, less)
	mergeSort(list[half:], room, less)
	left, right := room[:copy(room, list[:half])], list[half:]
	for i := range list {
		switch {
		case len(left) == 0:
			return // the rest stands where it belongs
		case len(right) > 0 && less(&right[0], &left[0]):
			list[i], right = right[0], right[1:]
		default:
			list[i], left = left[0], left[1:]
		}
	}
}

// insertionSort takes the run that list begins with as it is, or turned around when it falls, and inserts the rest by halving.
func insertionSort[T any](list []T, less func(a, b *T) bool) {
	n := 2
	if falls := less(&list[1], &list[0]); falls {
		for n < len(list) && less(&list[n], &list[n-1]) {
			n++
		}
		for i, j := 0, n-1; i < j; i, j = i+1, j-1 {
			list[i], list[j] = list[j], list[i]
		}
	} else {
		for n < len(list) && !less(&list[n], &list[n-1]) {
			n++
		}
	}
	for ; n < len(list); n++ {
		x := list[n]
		left, right := 0, n
		for left < right {
			middle := (left + right) / 2
			if less(&x, &list[middle]) {
				right = middle
			} else {
				left = middle + 1
			}
		}
		copy(list[left+1:n+1], list[left:n])
		list[left] = x
	}
}

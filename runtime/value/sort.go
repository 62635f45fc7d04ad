package value

// SortStable sorts list; equal elements keep their order. It is a merge sort of a screenful: the standard library's generic sorts are
// copied for each element type, 12 KB apiece.
func SortStable[T any](list []T, less func(a, b *T) bool) {
	mergeSort(list, make([]T, len(list)/2), less)
}

func mergeSort[T any](list, room []T, less func(a, b *T) bool) {
	if len(list) < 12 {
		for i := 1; i < len(list); i++ {
			x := list[i]
			j := i
			for ; j > 0 && less(&x, &list[j-1]); j-- {
				list[j] = list[j-1]
			}
			list[j] = x
		}
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

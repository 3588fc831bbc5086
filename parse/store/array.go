package store

import (
	"runtime"
	"unsafe"
)

// An Array is a number of values without pointers, zero at first. A large one is
// outside the heap, whose collector would let half as much again pile up before it
// looks, and keep what a table has grown out of until then.
//
// Whoever uses V must keep what holds the Array alive meanwhile.
type Array[T any] struct {
	V   []T
	far *region
}

// A region is memory outside the heap. It is given back when it is freed, or
// else when nobody knows of it any more.
type region struct {
	b    []byte
	done runtime.Cleanup
}

// NewArray returns an Array of n values. T must not hold pointers.
func NewArray[T any](n int) (a Array[T]) {
	var v T
	size := n * int(unsafe.Sizeof(v))
	if size >= farArray {
		if b := reserve(size, size <= fullArray); b != nil {
			a.far = &region{b: b}
			a.far.done = runtime.AddCleanup(a.far, release, b)
			a.V = unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), n)
			return a
		}
	}
	a.V = make([]T, n)
	return a
}

// NewBuffer returns an Array of n bytes of which all will be used, at once or from
// its beginning on.
func NewBuffer(n int) Array[byte] {
	a := NewArray[byte](n)
	if a.far != nil {
		huge(a.far.b)
	}
	return a
}

const (
	// farArray is from what size on an Array is outside the heap, in bytes.
	farArray = 32 << 10
	// fullArray is up to what size all of an Array is there from the beginning. A
	// table soon has something everywhere, but of a large one the memory that it
	// grows out of is given back meanwhile.
	fullArray = 1 << 20
)

// Done says that the values up to number i are not looked at again, so that while
// one Array is copied to another there are not both.
func (a *Array[T]) Done(i int) {
	const often = 4096
	if i%often != often-1 || a.far == nil {
		return
	}
	var v T
	size := int(unsafe.Sizeof(v))
	giveBack(a.far.b[(i+1-often)*size : (i+1)*size])
}

// Free gives the memory back at once.
func (a *Array[T]) Free() {
	if a.far != nil {
		a.far.done.Stop()
		release(a.far.b)
	}
	*a = Array[T]{}
}

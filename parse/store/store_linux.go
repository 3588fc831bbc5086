package store

import "syscall"

// reserve borrows n bytes of memory outside the heap, nil if there are none.
// Unless all of them will be used at once they take up room only as they are.
func reserve(n int, atOnce bool) []byte {
	flags := syscall.MAP_ANON | syscall.MAP_PRIVATE | syscall.MAP_NORESERVE
	if atOnce {
		flags |= syscall.MAP_POPULATE // a fault for each page takes longer
	}
	b, err := syscall.Mmap(-1, 0, n, syscall.PROT_READ|syscall.PROT_WRITE, flags)
	if err != nil {
		return nil
	}
	return b
}

// giveBack gives back the memory under b and keeps the addresses.
func giveBack(b []byte) {
	if len(b) > 0 {
		syscall.Madvise(b, syscall.MADV_DONTNEED)
	}
}

func release(b []byte) { syscall.Munmap(b) }

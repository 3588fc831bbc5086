package store

import "syscall"

// hugePage is the size of a large page: one fault where there would be 512, each
// of which takes longer than to read what is put there.
const hugePage = 2 << 20

// reserve borrows n bytes of memory outside the heap or some more, nil if there are
// none. Unless all of them will be used at once they take up room only as they are.
func reserve(n int, atOnce bool) []byte {
	if n > hugePage/2 {
		n = wholePages(n) // only these are put where a large page begins
	}
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

// huge says that b, which is reserved, is used from its beginning on without gaps,
// so that large pages take up little that small ones would not. The system may
// have none.
func huge(b []byte) { syscall.Madvise(b, syscall.MADV_HUGEPAGE) }

// wholePages is n or as much more as large pages have.
func wholePages(n int) int { return (n + hugePage - 1) &^ (hugePage - 1) }

// giveBack gives back the memory under b and keeps the addresses.
func giveBack(b []byte) {
	if len(b) > 0 {
		syscall.Madvise(b, syscall.MADV_DONTNEED)
	}
}

func release(b []byte) { syscall.Munmap(b) }

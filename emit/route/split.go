package route

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// A splitter appends lines to a file for each queue. Several processes may
// append to the same files: a line, and all that are written with it, is one
// write to a file opened for appending.
//
// There are at most MaxRules+1 queues, so all files stay open.
type splitter struct {
	dir   string
	files map[string]*splitFile
	order []*splitFile
}

type splitFile struct {
	f   *os.File
	buf []byte
}

const splitBuffer = 64 << 10 // bytes of lines held for one queue

// line takes a whole line for a queue. Queue names hold no separator and do not
// start with a dot (see Load), so the file is in the directory.
func (s *splitter) line(queue string, line []byte) error {
	f := s.files[queue]
	if f == nil {
		name := filepath.Join(s.dir, queue+".ndjson")
		file, err := openAppend(name)
		if err != nil {
			return err
		}
		if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() {
			file.Close()
			return fmt.Errorf("%s: not a regular file", name)
		}
		f = &splitFile{f: file}
		s.files[queue] = f
		s.order = append(s.order, f)
	}
	if len(f.buf) > 0 && len(f.buf)+len(line) > splitBuffer {
		if err := f.flush(); err != nil {
			return err
		}
	}
	if len(line) > splitBuffer {
		_, err := f.f.Write(line)
		return err
	}
	f.buf = append(f.buf, line...)
	return nil
}

func (f *splitFile) flush() error {
	if len(f.buf) == 0 {
		return nil
	}
	_, err := f.f.Write(f.buf)
	f.buf = f.buf[:0]
	return err
}

func (s *splitter) flush() error {
	for _, f := range s.order {
		if err := f.flush(); err != nil {
			return err
		}
	}
	return nil
}

// close closes the files, whatever happened before.
func (s *splitter) close() error {
	var errs []error
	for _, f := range s.order {
		errs = append(errs, f.f.Close())
	}
	return errors.Join(errs...)
}

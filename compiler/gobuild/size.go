package gobuild

import (
	"bytes"
	"cmp"
	"debug/elf"
	"debug/gosym"
	"debug/macho"
	"debug/pe"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
)

// Share is a part of a program with its size in bytes.
type Share struct {
	Name  string
	Bytes int64
}

// SizeReport says where the bytes of a program go.
type SizeReport struct {
	Total    int64
	Sections []Share // of the file, the largest first
	Code     []Share // machine code by package, the largest first
}

// Sizes looks into an executable of any supported platform. Programs are stripped, so the code of each package is read off the
// table that the Go runtime keeps for its stack traces.
func Sizes(program []byte) (*SizeReport, error) {
	img, err := readImage(program)
	if err != nil {
		return nil, err
	}
	r := &SizeReport{Total: int64(len(program)), Sections: img.sections}
	table, err := gosym.NewTable(nil, gosym.NewLineTable(img.pclntab, img.textStart))
	if err != nil {
		return nil, fmt.Errorf("cannot read the table of functions: %w", err)
	}
	byPackage := map[string]int64{}
	for i := range table.Funcs {
		f := &table.Funcs[i]
		byPackage[packageOf(f.Name)] += int64(f.End - f.Entry)
	}
	for name, n := range byPackage {
		r.Code = append(r.Code, Share{name, n})
	}
	bySize := func(a, b Share) int { return cmp.Or(cmp.Compare(b.Bytes, a.Bytes), strings.Compare(a.Name, b.Name)) }
	slices.SortFunc(r.Sections, bySize)
	slices.SortFunc(r.Code, bySize)
	return r, nil
}

// packageOf is the import path in the name of a function, without the type arguments.
func packageOf(name string) string {
	name, _, _ = strings.Cut(name, "[")
	if strings.HasPrefix(name, "type:") {
		return "(type equality and hashing)"
	}
	slash := strings.LastIndexByte(name, '/') + 1
	dot := strings.IndexByte(name[slash:], '.')
	if dot < 0 {
		return "runtime" // assembly
	}
	return name[:slash+dot]
}

// image is what is needed of an executable.
type image struct {
	sections  []Share
	pclntab   []byte
	textStart uint64
}

func readImage(program []byte) (*image, error) {
	r := bytes.NewReader(program)
	var img *image
	var err error
	switch {
	case bytes.HasPrefix(program, []byte("\x7fELF")):
		img, err = readELF(r)
	case bytes.HasPrefix(program, []byte("MZ")):
		img, err = readPE(r)
	default:
		img, err = readMachO(r)
	}
	if err == nil && len(img.pclntab) == 0 {
		err = errors.New("no Go function table in this file")
	}
	return img, err
}

func readELF(r io.ReaderAt) (*image, error) {
	f, err := elf.NewFile(r)
	if err != nil {
		return nil, err
	}
	img := &image{}
	for _, s := range f.Sections {
		if s.Type != elf.SHT_NOBITS && s.FileSize > 0 {
			img.sections = append(img.sections, Share{s.Name, int64(s.FileSize)})
		}
		switch s.Name {
		case ".text":
			img.textStart = s.Addr
		case ".gopclntab":
			if img.pclntab, err = s.Data(); err != nil {
				return nil, err
			}
		}
	}
	return img, nil
}

func readMachO(r io.ReaderAt) (*image, error) {
	f, err := macho.NewFile(r)
	if err != nil {
		return nil, err
	}
	img := &image{}
	for _, s := range f.Sections {
		if s.Offset > 0 && s.Size > 0 {
			img.sections = append(img.sections, Share{s.Name, int64(s.Size)})
		}
		switch s.Name {
		case "__text":
			img.textStart = s.Addr
		case "__gopclntab":
			if img.pclntab, err = s.Data(); err != nil {
				return nil, err
			}
		}
	}
	return img, nil
}

// readPE looks for the function table inside .rdata, since Windows programs have no section for it.
func readPE(r io.ReaderAt) (*image, error) {
	f, err := pe.NewFile(r)
	if err != nil {
		return nil, err
	}
	var base uint64
	switch h := f.OptionalHeader.(type) {
	case *pe.OptionalHeader64:
		base = h.ImageBase
	case *pe.OptionalHeader32:
		base = uint64(h.ImageBase)
	}
	img := &image{}
	for _, s := range f.Sections {
		img.sections = append(img.sections, Share{s.Name, int64(s.Size)})
		data, err := s.Data()
		if err != nil {
			return nil, err
		}
		if s.Name == ".text" {
			img.textStart = base + uint64(s.VirtualAddress)
		}
		// The header of the table for Go 1.20 and later: magic, two zero bytes, instruction size quantum, pointer size.
		for quantum := range []int{1, 4} {
			head := []byte{0xf1, 0xff, 0xff, 0xff, 0, 0, []byte{1, 4}[quantum], 8}
			if i := bytes.Index(data, head); i >= 0 && img.pclntab == nil {
				img.pclntab = data[i:]
			}
		}
	}
	return img, nil
}

// Print writes the report for people, with at most top packages.
func (r *SizeReport) Print(w io.Writer, top int) error {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(tw, "%d\t bytes in all\t\n\nsections\t\t\n", r.Total)
	for _, s := range r.Sections {
		fmt.Fprintf(tw, "%d\t %s\t\n", s.Bytes, s.Name)
	}
	fmt.Fprint(tw, "\ncode by package\t\t\n")
	var rest int64
	for i, s := range r.Code {
		if i >= top {
			rest += s.Bytes
			continue
		}
		fmt.Fprintf(tw, "%d\t %s\t\n", s.Bytes, s.Name)
	}
	if rest > 0 {
		fmt.Fprintf(tw, "%d\t %d more\t\n", rest, len(r.Code)-top)
	}
	return tw.Flush()
}

package shell

import (
	"path"
	"strings"

	"github.com/nodgate/nod/internal/shell/grammar"
)

// mediaFile reports a file that a program for media opens by itself. In these
// a name with a colon may be a protocol or a decoder, and other marks run
// programs or name lists.
func (o *operands) mediaFile(w word) {
	switch {
	case w.known && (strings.HasPrefix(w.text, "https://") || strings.HasPrefix(w.text, "http://")):
		o.targets.url(w)
	case !w.known || strings.ContainsAny(w.text, ":|@"):
		o.out.unknown(PartWords, o.inv.raw, grammar.Escaped(w.shown())+" may name more than a file to read")
	default:
		o.targets.reads(w, 0)
	}
}

// pictureFile reads an image by its ending, which says what decodes it: one that only
// holds pixels.
func (o *operands) pictureFile(w word) {
	switch strings.ToLower(strings.TrimPrefix(path.Ext(w.text), ".")) {
	case "png", "jpg", "jpeg", "gif", "webp", "bmp", "ico", "tif", "tiff", "ppm", "pgm", "pbm", "heic", "avif":
		o.mediaFile(w)
	default:
		o.out.unknown(PartWords, o.inv.raw, grammar.Escaped(w.shown())+" may name more than a file to read")
	}
}

// exifTags leaves the names of tags out of the arguments of exiftool. A name of a tag
// looks like an option that begins with a capital letter. Options of exiftool's own may
// be written with a capital letter too, and stay.
func exifTags(args []word) []word {
	rest := make([]word, 0, len(args))
	for _, w := range args {
		if !w.known || !exifTag(w.text) {
			rest = append(rest, w)
		}
	}
	return rest
}

func exifTag(text string) bool {
	name, dashed := strings.CutPrefix(text, "-")
	if !dashed || len(name) < 4 || name[0] < 'A' || name[0] > 'Z' {
		return false
	}
	if strings.Trim(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789:*?") != "" {
		return false
	}
	name = strings.ToLower(name)
	for _, own := range [...]string{"addtags", "api", "charset", "common", "config", "csv", "delete", "diff",
		"echo", "efile", "execute", "ext", "geo", "htmldump", "json", "lang", "list", "overwrite", "password",
		"plot", "preserve", "progress", "require", "restore", "scan", "sep", "sort", "srcfile", "stay", "struct",
		"tagout", "tagsfrom", "textout", "use", "validate", "wext", "zip"} {
		if strings.HasPrefix(name, own) {
			return false
		}
	}
	return strings.Trim(strings.TrimPrefix(name, "file"), "0123456789") != ""
}

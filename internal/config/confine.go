package config

// Confine says whether code that nod has not read runs behind nod's boundary.
type Confine struct {
	On     bool
	Origin string // "FILE:LINE", "" where no file says a word of it
}

// String is "on" or "off".
func (c Confine) String() string {
	if c.On {
		return "on"
	}
	return "off"
}

// mergeConfine takes the strictest, and of two alike the highest file's.
func mergeConfine(layers []layer) (holds Confine) {
	for _, l := range layers {
		if l.confine.Origin != "" && (holds.Origin == "" || holds.On && !l.confine.On) {
			holds = l.confine
		}
	}
	return holds
}

// confine reads the key of that name.
func (r *reader) confine(word string) {
	if word != "" {
		r.oneOf("confine", word, "on", "off")
		r.layer.confine = Confine{On: word == "on", Origin: originOf(r.layer.source, r.doc.at("confine").line)}
	}
}

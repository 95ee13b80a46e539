package code

import "strings"

// JQ says what a filter of jq can see besides its input.
func JQ(filter string) (effects []Effect) {
	if wordIn(filter, "env") || wordIn(filter, "ENV") {
		effects = append(effects, known(Secret, "environment"))
	}
	if wordIn(filter, "import") || wordIn(filter, "include") {
		effects = append(effects, known(Unclear, "a jq filter that loads modules"))
	}
	return effects
}

// YQ says what an expression of yq can see and do besides its input: operators
// that read other files, evaluate text or run programs.
func YQ(expression string) []Effect {
	effects := JQ(expression)
	for i := 0; i < len(expression); i++ {
		start := i
		for i < len(expression) && nameByte(expression[i]) {
			i++
		}
		word := expression[start:i]
		key := start > 0 && (expression[start-1] == '.' || expression[start-1] == '"')
		if !key && (strings.Contains(word, "load") || strings.Contains(word, "eval") || // str_load, strload ...
			word == "system" || word == "strenv" || word == "envsubst") {
			return append(effects, known(Unclear, "a yq expression that uses "+word))
		}
	}
	return effects
}

// wordIn reports whether text holds name as a word of its own that is no key
// of an object.
func wordIn(text, name string) bool {
	for from := 0; ; {
		i := strings.Index(text[from:], name)
		if i < 0 {
			return false
		}
		i += from
		from = i + len(name)
		if i > 0 && (nameByte(text[i-1]) || text[i-1] == '.' || text[i-1] == '"') ||
			from < len(text) && nameByte(text[from]) {
			continue
		}
		return true
	}
}

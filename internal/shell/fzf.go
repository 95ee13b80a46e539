package shell

import "strings"

// fzfBind reads the actions that keys of fzf are bound to: KEY:ACTION+ACTION,
// separated by commas. An action with an argument may run it.
func (o *operands) fzfBind(w word) {
	if w.known && !strings.ContainsAny(w.text, "(){}[]<>~!@#$%^&*;|\"'`\\\n") && fzfMoves(w.text) {
		return
	}
	o.out.unknown(PartWords, o.inv.raw, "this binds a key of fzf to something that may run commands")
}

func fzfMoves(text string) bool {
	for binding := range strings.SplitSeq(text, ",") {
		key, actions, ok := strings.Cut(binding, ":")
		if !ok || key == "" {
			return false
		}
		for action := range strings.SplitSeq(actions, "+") {
			if !plainAction(action) {
				return false
			}
		}
	}
	return true
}

// plainAction recognises an action without an argument: what may run a command
// takes it behind a colon or in brackets.
func plainAction(name string) bool {
	return name != "" && strings.Trim(name, "abcdefghijklmnopqrstuvwxyz-/") == ""
}

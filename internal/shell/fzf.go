package shell

import "strings"

// fzfBind reads the actions that keys of fzf are bound to: KEY:ACTION+ACTION,
// separated by commas. Only actions without an argument are known; those with
// one may run it.
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
			if !fzfAction(action) {
				return false
			}
		}
	}
	return true
}

// fzfAction lists actions that move, pick, edit the query or end.
func fzfAction(name string) bool {
	switch name {
	case "abort", "accept", "accept-non-empty", "accept-or-print-query", "backward-char", "backward-delete-char",
		"backward-delete-char/eof", "backward-kill-word", "backward-word", "backward-subword", "beginning-of-line",
		"cancel", "clear-multi", "clear-screen", "clear-selection", "close", "clear-query", "delete-char",
		"delete-char/eof", "deselect", "deselect-all", "disable-search", "enable-search", "down", "down-match",
		"down-selected", "end-of-line", "exclude", "exclude-multi", "first", "forward-char", "forward-word",
		"forward-subword", "half-page-down", "half-page-up", "hide-header", "hide-input", "hide-preview", "ignore",
		"jump", "kill-line", "kill-word", "last", "next-history", "next-selected", "offset-down", "offset-middle",
		"offset-up", "page-down", "page-up", "preview-bottom", "preview-down", "preview-half-page-down",
		"preview-half-page-up", "preview-page-down", "preview-page-up", "preview-top", "preview-up", "prev-history",
		"prev-selected", "previous-history", "print-query", "put", "refresh-preview", "replace-query", "select",
		"select-all", "show-header", "show-input", "show-preview", "toggle", "toggle-all", "toggle-down",
		"toggle-header", "toggle-hscroll", "toggle-in", "toggle-input", "toggle-multi-line", "toggle-out",
		"toggle-preview", "toggle-preview-wrap", "toggle-raw", "toggle-search", "toggle-sort", "toggle-track",
		"toggle-track-current", "toggle-up", "toggle-wrap", "track", "track-current", "unix-line-discard",
		"unix-word-rubout", "untrack-current", "up", "up-match", "up-selected", "yank":
		return true
	}
	return false
}

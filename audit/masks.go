package audit

import "github.com/nodgate/nod/internal/masks"

// MaskText masks the secrets in a text.
func MaskText(s string) string { return masks.Text(s) }

// MaskCommand masks the secrets in the text of a command or a program: the names of
// programs in it stay.
func MaskCommand(s string) string { return masks.Command(s) }

package audit

import "github.com/nodgate/nod/internal/masks"

// MaskText masks the secrets in a text.
func MaskText(s string) string { return masks.Text(s) }

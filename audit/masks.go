package audit

import (
	"encoding/json"

	"github.com/nodgate/nod/internal/masks"
)

// Mask masks the secrets in a JSON text: the log's own rule, for what is kept beside it.
func Mask(raw json.RawMessage) json.RawMessage { return masks.Mask(raw) }

// MaskText masks the secrets in a text.
func MaskText(s string) string { return masks.Text(s) }

// MaskCommand masks the secrets in the text of a command or a program: the names of
// programs in it stay.
func MaskCommand(s string) string { return masks.Command(s) }

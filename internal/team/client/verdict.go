package client

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"time"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/internal/printable"
)

// Shared is a model whose verdicts a team's machines share: what one of them was told holds for a day for all that ask
// the very same. The key is made of all that the model would be shown (rules, environment, what the person said, the
// call and its files) and of the model's name, so that nothing that could change the answer is left out. A server that
// is slow or away costs two seconds at most, and the model is asked.
type Shared struct {
	*Client
	Name  string // of the model, with its provider
	Model nod.Model
}

// sharedWait is how long the server is waited for, before the model is asked and after it has answered.
const sharedWait = 2 * time.Second

// verdict is store.Verdict.
type verdict struct {
	ShouldBlock bool   `json:"should_block"`
	Reason      string `json:"reason"`
	Model       string `json:"model"`
}

// Classify implements nod.Model.
func (s Shared) Classify(ctx context.Context, p nod.Prompt) (nod.Classification, error) {
	var said verdict
	path := "/v1/verdicts/" + s.key(p)
	asking, stop := context.WithTimeout(ctx, sharedWait)
	err := s.do(asking, request{method: "GET", path: path, answer: &said})
	stop()
	if err == nil && said.Model != "" {
		return nod.Classification{Digest: p.Digest, ShouldBlock: said.ShouldBlock, Model: said.Model,
			Reason: printable.Line("said before in this team: "+said.Reason, 300)}, nil
	}
	c, err := s.Model.Classify(ctx, p)
	if err != nil {
		return c, err
	}
	telling, stop := context.WithTimeout(ctx, sharedWait)
	defer stop()
	_ = s.tell(telling, "PUT", path, verdict{c.ShouldBlock, c.Reason, c.Model}, nil)
	return c, nil
}

func (s Shared) key(p nod.Prompt) string {
	p.ID, p.Digest, p.CacheKey = "", "", "" // names of this one time
	text, _ := json.Marshal([]any{"nod verdict 1", s.Name, p})
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

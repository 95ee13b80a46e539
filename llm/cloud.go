package llm

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
	"golang.org/x/oauth2"
	"golang.org/x/oauth2/google"

	"github.com/nodgate/nod/fault"
)

// grant puts what a request is let in by into its headers; body is what it sends.
type grant func(r *http.Request, body []byte) error

func withKey(c *client) (grant, error) {
	return func(r *http.Request, _ []byte) error {
		if c.Key != "" {
			r.Header.Set(c.keyHeader, c.keyPrefix+c.Key)
		}
		return nil
	}, nil
}

// withAmazons sends an API key, or signs with the pair ID:SECRET[:TOKEN]. Profiles and the machine's role are not
// read: they come from the environment and from files that nod's settings do not name.
func withAmazons(c *client) (grant, error) {
	id, secret, pair := strings.Cut(c.Key, ":")
	if !pair {
		return withKey(c)
	}
	secret, token, _ := strings.Cut(secret, ":")
	c.addSecrets(id, secret, token)
	signer := v4.NewSigner()
	return func(r *http.Request, body []byte) error {
		sum := sha256.Sum256(body)
		return signer.SignHTTP(r.Context(), aws.Credentials{AccessKeyID: id, SecretAccessKey: secret,
			SessionToken: token}, r, hex.EncodeToString(sum[:]), "bedrock", c.Region, time.Now())
	}, nil
}

// withGoogles sends a token that Google gives the service account of the key.
func withGoogles(c *client) (grant, error) {
	var named struct {
		Project string `json:"project_id"`
	}
	account, err := google.JWTConfigFromJSON([]byte(c.Key), "https://www.googleapis.com/auth/cloud-platform")
	if err != nil || json.Unmarshal([]byte(c.Key), &named) != nil || len(account.PrivateKey) == 0 ||
		account.Email == "" {
		return nil, &fault.Error{Kind: fault.NoKey,
			Message: "the key is not the JSON text of a Google service account's key; make one in the console and " +
				"name its file as [model] key_file"}
	}
	c.Project = cmp.Or(c.Project, named.Project)
	if !isSegment(c.Project) {
		return nil, badSettings("the key's project %s holds characters that none has; set [model] project",
			quote(c.Project))
	}
	if c.Project == "" {
		return nil, badSettings("the key names no project; set [model] project")
	}
	c.addSecrets(string(account.PrivateKey), account.PrivateKeyID)
	client := *c.http
	client.Timeout = c.Timeout // no question's context bounds this one
	tokens := account.TokenSource(context.WithValue(context.Background(), oauth2.HTTPClient, &client))
	return func(r *http.Request, _ []byte) error {
		token, err := tokens.Token()
		if err == nil {
			token.SetAuthHeader(r)
		}
		return err
	}, nil
}

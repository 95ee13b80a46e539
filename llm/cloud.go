package llm

import (
	"context"
	"encoding/json"
	"os"
	"strings"

	"github.com/anthropics/anthropic-sdk-go/bedrock"
	"github.com/anthropics/anthropic-sdk-go/option"
	"github.com/anthropics/anthropic-sdk-go/vertex"
	"github.com/aws/aws-sdk-go-v2/aws"
	"golang.org/x/oauth2"
	"golang.org/x/oauth2/google"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/fault"
)

// bedrockVariable is read by Anthropic's SDK whatever it is told.
const bedrockVariable = "AWS_BEARER_TOKEN_BEDROCK"

// newBedrock asks Anthropic's models at Amazon. Profiles and the machine's
// role are not read: they come from the environment and from files that nod's
// settings do not name.
func newBedrock(o Options) (nod.Model, error) {
	if _, set := os.LookupEnv(bedrockVariable); set {
		return nil, badSettings("%s is set and would replace the key; unset it, and name the key as [model] key_file",
			bedrockVariable)
	}
	address := "https://bedrock-runtime." + o.Region + ".amazonaws.com"
	c, err := newClient(vendor{provider: ProviderBedrock, address: address, defaultModel: DefaultBedrockModel,
		keyHeader: "Authorization"}, o)
	if err != nil {
		return nil, err
	}
	config := aws.Config{Region: o.Region}
	switch id, secret, pair := strings.Cut(c.key, ":"); {
	case pair:
		secret, token, _ := strings.Cut(secret, ":")
		c.secrets = append(c.secrets, id, secret)
		if token != "" {
			c.secrets = append(c.secrets, token)
		}
		config.Credentials = aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: id, SecretAccessKey: secret, SessionToken: token,
				Source: "key_file"}, nil
		})
	default:
		config.BearerAuthTokenProvider = bedrock.NewStaticBearerTokenProvider(c.key)
	}
	return c.anthropic(bedrock.WithConfig(config), option.WithBaseURL(c.base)), nil
}

// vertexScope is the one that Google's service asks for.
const vertexScope = "https://www.googleapis.com/auth/cloud-platform"

// newVertex asks Anthropic's models at Google, as a service account.
func newVertex(o Options) (nod.Model, error) {
	address := "https://" + o.Region + "-aiplatform.googleapis.com"
	if o.Region == "global" {
		address = "https://aiplatform.googleapis.com"
	}
	c, err := newClient(vendor{provider: ProviderVertex, address: address, defaultModel: DefaultVertexModel,
		keyHeader: "Authorization", document: true}, o)
	if err != nil {
		return nil, err
	}
	var named struct {
		Project string `json:"project_id"`
	}
	account, err := google.JWTConfigFromJSON([]byte(c.key), vertexScope)
	if err != nil || json.Unmarshal([]byte(c.key), &named) != nil || len(account.PrivateKey) == 0 ||
		account.Email == "" {
		return nil, &fault.Error{Kind: fault.NoKey,
			Message: "the key is not the JSON text of a Google service account's key; make one in the console and " +
				"name its file as [model] key_file"}
	}
	project := orDefault(o.Project, named.Project)
	if !isSegment(project) {
		return nil, badSettings("the key's project %s holds characters that none has; set [model] project",
			quote(project))
	}
	if project == "" {
		return nil, badSettings("the key names no project; set [model] project")
	}
	c.secrets = append(c.secrets, string(account.PrivateKey), account.PrivateKeyID)
	ctx := context.WithValue(context.Background(), oauth2.HTTPClient, c.http)
	credentials := &google.Credentials{ProjectID: project, TokenSource: account.TokenSource(ctx)}
	return c.anthropic(vertex.WithCredentials(ctx, o.Region, project, credentials), option.WithBaseURL(c.base)), nil
}

package llm

// object is one of JSON, to be sent.
type object = map[string]any

// vendor is what the providers differ in.
type vendor struct {
	provider, address, defaultModel string
	// path is what follows the address, with the words that newClient replaces.
	path string
	// variable is where the key customarily is, keyHeader what it is sent in,
	// behind keyPrefix.
	variable, keyHeader, keyPrefix string
	// keyless says that a key may be missing, document that it is a JSON text.
	keyless, document bool
	// needs and takes are settings, by their keys; every provider takes some others.
	needs, takes string
	// fixed are headers of the API; bodyVersion is its version where the body says it.
	fixed       map[string]string
	bodyVersion string
	// grants makes what lets requests in.
	grants func(c *client, o Options) (grant, error)
	api
}

// api is how a vendor is asked, and how its answer is read. What read is handed
// holds no key twice.
type api struct {
	ask  func(c *client, q question) object
	read func(c *client, answer value) (reply, error)
}

// vendors is the table of the providers.
func vendors() []vendor {
	messages, responses := api{askMessages, readMessage}, api{askResponses, readResponse}
	chat, gemini := api{askChat, readChat}, api{askGemini, readGemini}
	const bearer = "Bearer "
	return []vendor{
		{provider: ProviderAnthropic, address: "https://api.anthropic.com", defaultModel: DefaultAnthropicModel,
			path: "/v1/messages", variable: "ANTHROPIC_API_KEY", keyHeader: "X-Api-Key", takes: "thinking",
			fixed: map[string]string{"Anthropic-Version": "2023-06-01"}, grants: withKey, api: messages},
		{provider: ProviderOpenAI, address: "https://api.openai.com/v1", defaultModel: DefaultOpenAIModel,
			path: "/responses", variable: "OPENAI_API_KEY", keyHeader: "Authorization", keyPrefix: bearer,
			grants: withKey, api: responses},
		{provider: ProviderGemini, address: "https://generativelanguage.googleapis.com",
			defaultModel: DefaultGeminiModel, path: "/v1beta/models/MODEL:generateContent",
			variable: "GEMINI_API_KEY", keyHeader: "X-Goog-Api-Key", grants: withKey, api: gemini},
		{provider: ProviderCompatible, path: "/chat/completions", keyHeader: "Authorization", keyPrefix: bearer,
			keyless: true, needs: "endpoint name", grants: withKey, api: chat},
		{provider: ProviderBedrock, address: "https://bedrock-runtime.REGION.amazonaws.com",
			defaultModel: DefaultBedrockModel, path: "/model/QUOTED/invoke", keyHeader: "Authorization",
			keyPrefix: bearer, needs: "region", takes: "thinking", bodyVersion: "bedrock-2023-05-31",
			grants: withAmazons, api: messages},
		{provider: ProviderVertex, address: "https://REGION-aiplatform.googleapis.com",
			defaultModel: DefaultVertexModel,
			path:         "/v1/projects/PROJECT/locations/REGION/publishers/anthropic/models/MODEL:rawPredict",
			keyHeader:    "Authorization", document: true, needs: "region", takes: "project thinking",
			bodyVersion: "vertex-2023-10-16", grants: withGoogles, api: messages},
		{provider: ProviderAzure, path: "/openai/responses?api-version=VERSION", keyHeader: "Api-Key",
			needs: "api_version endpoint name", grants: withKey, api: responses},
	}
}

// vendorOf finds a provider by its name; the zero value is none.
func vendorOf(provider string) vendor {
	for _, v := range vendors() {
		if v.provider == provider {
			return v
		}
	}
	return vendor{}
}

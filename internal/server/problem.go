package server

import (
	"encoding/json"
	"net/http"
	"strconv"
)

// problem is an error as RFC 9457 has it.
type problem struct {
	Type   string `json:"type"`
	Title  string `json:"title"`
	Status int    `json:"status"`
	Detail string `json:"detail,omitempty"`
}

// The problems. Nothing secret and nothing of the server's files stands in one.
var (
	badRequest    = problem{"urn:nod:bad-request", "The request cannot be read", 400, ""}
	noToken       = problem{"urn:nod:unauthorized", "No token that holds", 401, ""}
	noScope       = problem{"urn:nod:forbidden", "The token has not the scope", 403, ""}
	notFound      = problem{"urn:nod:not-found", "There is nothing here", 404, "see /v1/openapi.json"}
	wrongMethod   = problem{"urn:nod:method-not-allowed", "Another method is needed", 405, ""}
	notNow        = problem{"urn:nod:not-now", "It cannot be done as it stands", 409, ""}
	inWork        = problem{"urn:nod:conflict", "A request with this key is being answered", 409, "try again"}
	notCounted    = problem{"urn:nod:not-counted", "The answer does not count", 422, ""}
	tooLarge      = problem{"urn:nod:too-large", "The request is too large", 413, ""}
	notJSON       = problem{"urn:nod:unsupported-media-type", "Not JSON", 415, ""}
	otherBody     = problem{"urn:nod:key-reused", "The key was used for another body", 422, ""}
	tooMany       = problem{"urn:nod:too-many-requests", "The token asks too often", 429, ""}
	internalError = problem{"urn:nod:internal", "The server failed", 500, "take it for a denial"}
	notReady      = problem{"urn:nod:not-ready", "The server does not decide now", 503, "its standard error says why"}
)

// because is the problem with what to do about it.
func (p problem) because(detail string) *problem {
	p.Detail = detail
	return &p
}

// refuse answers with a problem.
func refuse(w http.ResponseWriter, p problem) {
	switch p.Status {
	case http.StatusUnauthorized:
		w.Header().Set("WWW-Authenticate", "Bearer")
	case http.StatusTooManyRequests, http.StatusConflict:
		w.Header().Set("Retry-After", "1")
	}
	text, _ := json.Marshal(p) // texts and a number: cannot fail
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(p.Status)
	_, _ = w.Write(text)
}

// put answers with a value.
func put(w http.ResponseWriter, v any) {
	text, err := json.Marshal(v)
	if err != nil {
		refuse(w, internalError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(text)))
	_, _ = w.Write(text)
}

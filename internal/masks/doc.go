// Package masks takes what it knows for a secret out of texts, for the decision log and
// for what a model is shown. It reads texts and nothing else.
package masks

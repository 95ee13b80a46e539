package llm

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/fault"
)

// shared is the directory beside the repository with what other projects recorded. None of it is in the repository.
const sharedSpecs = "../../shared/specs"

// recorded returns the path of a recording, or skips the test.
func recorded(t *testing.T, name string) string {
	t.Helper()
	path := filepath.Join(sharedSpecs, "fixtures", name)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("../shared/specs/fixtures/%s absent: skipped", name)
	}
	return path
}

func readRecorded(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(recorded(t, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Answers that live services gave to other questions: each must be understood for what it is.
func TestRecordedAnswers(t *testing.T) {
	for _, row := range rows(t, "recorded.txt") { // provider, status, kind, file, what is said
		provider, file, says := row[0], "vercel+ai/packages/"+row[3], row[4]
		t.Run(provider+"/"+filepath.Base(file), func(t *testing.T) {
			contentType := "application/json"
			if strings.HasSuffix(file, ".txt") {
				contentType = "text/event-stream"
			}
			status, _ := strconv.Atoi(row[1])
			url := serve(t, answering(status, contentType, readRecorded(t, file)))
			got, err := newModel(t, provider, url).Classify(context.Background(), prompt)
			checkFailure(t, fault.Kind(row[2]), got, err)
			if !strings.Contains(err.Error(), says) {
				t.Errorf("%v\ndoes not say %q", err, says)
			}
		})
	}
}

// A recorded answer to another question, under any status, is never an answer to ours.
func TestNothingRecordedIsADecision(t *testing.T) {
	root := recorded(t, "")
	seen := 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		body, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		seen++
		for _, provider := range providers() {
			got, err := newModel(t, provider, serve(t, raw(200, string(body)))).Classify(context.Background(), prompt)
			var f *fault.Error
			if err == nil || !reflect.DeepEqual(got, nod.Classification{}) || !errors.As(err, &f) {
				t.Errorf("%s read %s as %+v, %v", provider, path, got, err)
				continue
			}
			switch f.Kind {
			case fault.Malformed, fault.NoDecision, fault.Refused, fault.CutOff:
			default:
				t.Errorf("%s read %s as %v", provider, path, err)
			}
			checkShown(t, err)
		}
		return nil
	})
	if err != nil || seen < 100 {
		t.Errorf("%d files, %v", seen, err)
	}
}

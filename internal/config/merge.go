package config

import (
	"cmp"
	"slices"
	"time"
)

// merge puts the layers together, highest first. What Claude Code's settings say only adds to the lists.
func merge(all scalars, layers, claude []layer, repo repository) Settings {
	s := Settings{
		ModeOrigin:  "default",
		Profile:     Profile(all.Profile),
		AskUnknown:  all.Unknown == "ask" || all.Profile == string(Replace),
		ClaudeRules: ClaudeRules(all.ClaudeRules),
		Approvals:   all.Approvals == "on",
		Confine:     mergeConfine(layers),
		Model:       all.Model.settings(),
		Log:         LogSettings{all.Log.OnFailure == "continue", all.Log.DumpDir},
		Questions:   all.Questions.QuestionSettings,
		Team:        all.Team,
		Notices:     repo.notices,
		said:        said{layers: slices.Concat(layers, claude), repo: repo.lists},
	}
	s.Mode, _ = ParseMode(all.Mode)
	s.Questions.Wait, _ = time.ParseDuration(all.Questions.Limit)
	for _, l := range s.said.layers {
		s.add(l)
	}
	if repo.found {
		s.Sources = append(s.Sources, repo.source)
	}
	s.Rules = s.said.rules()
	return s
}

// settings are the model's, with what depends on what it is shown.
func (m modelText) settings() ModelSettings {
	s := m.ModelSettings
	s.AskOnBlock, s.DenyOnFailure = m.OnBlock == "ask", m.OnUnavailable == "deny"
	s.Timeout, _ = time.ParseDuration(m.Limit)
	maxTokens, stages := 1024, 2
	if m.Profile == "seed" {
		maxTokens, stages = 256, 1
	}
	s.MaxTokens, s.Stages = cmp.Or(s.MaxTokens, maxTokens), cmp.Or(s.Stages, stages)
	return s
}

// add adds what a layer has for itself; those above it were added before.
func (s *Settings) add(l layer) {
	s.Sources = append(s.Sources, l.source)
	if l.modeLine > 0 && s.ModeOrigin == "default" {
		s.ModeOrigin = originOf(l.source, l.modeLine)
	}
	if s.Model.Fallbacks == nil && !s.said.judged {
		s.Model.Fallbacks = l.fallbacks
	}
	s.said.judged = s.said.judged || l.model && l.source.Level == Managed // a user's fallback would judge in its place
	for _, root := range l.roots {
		if !slices.Contains(s.Roots, root) {
			s.Roots = append(s.Roots, root)
		}
	}
	for _, p := range l.prices {
		if !slices.ContainsFunc(s.Prices, func(o Price) bool { return o.Model == p.Model }) {
			s.Prices = append(s.Prices, p)
		}
	}
	for _, rule := range l.broad {
		s.LeftOut = append(s.LeftOut, rule)
		s.Notices = append(s.Notices, rule.Origin+": "+rule.List+": "+rule.Why)
	}
	s.Sequences = append(s.Sequences, l.sequences...)
	for _, scope := range l.scopes {
		s.Scopes = append(s.Scopes, scope.Scope)
	}
}

// Confine says whether code that nod has not read runs behind nod's boundary.
type Confine struct {
	On     bool
	Origin string // "FILE:LINE", "" where no file says a word of it
}

// String is "on" or "off".
func (c Confine) String() string {
	if c.On {
		return "on"
	}
	return "off"
}

// mergeConfine takes the strictest, and of two alike the highest file's.
func mergeConfine(layers []layer) (holds Confine) {
	for _, l := range layers {
		if l.confine.Origin != "" && (holds.Origin == "" || holds.On && !l.confine.On) {
			holds = l.confine
		}
	}
	return holds
}

func (r *reader) confine(word string) {
	if word != "" {
		r.oneOf("confine", word, "on", "off")
		r.layer.confine = Confine{On: word == "on", Origin: originOf(r.layer.source, r.doc.at("confine").line)}
	}
}

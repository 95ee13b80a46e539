package nod_test

import (
	"github.com/nodgate/nod"
	"github.com/nodgate/nod/corpus"
	"github.com/nodgate/nod/internal/shell/commands"
)

// inCorpus judges a command in the world of package corpus, with every program that nod's data knows.
func inCorpus(dialect nod.Dialect, command string) nod.Decision {
	return corpusVerdict(inCorpusOptions(), dialect, command)
}

func inCorpusOptions() nod.Options {
	w := corpus.World()
	for _, name := range commands.Names() {
		w.File("/usr/bin/"+name, "\x7fELF", 0o755)
	}
	return nod.Options{Rules: nod.DefaultRules(), Files: w, Home: corpus.Home,
		Self: []string{corpus.Home + "/.config/nod", corpus.State, corpus.Nod, corpus.Hook}}
}

func corpusVerdict(o nod.Options, dialect nod.Dialect, command string) nod.Decision {
	c := bash(command)
	c.Dir, c.Roots, c.Environ, c.Dialect = corpus.Project, []string{corpus.Project}, corpus.Environ(), dialect
	return verdictOf(o, c)
}

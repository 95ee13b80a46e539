package eval

import "github.com/nodgate/nod/internal/shell"

// GitFiles hands the files of the virtual repository to a test that puts them
// on disk.
func GitFiles() map[string]string {
	files := map[string]string{}
	for _, f := range gitFiles() {
		files[f.name] = f.content
	}
	return files
}

// Reports returns what is known of the command of each row, each as the first
// of a session of its own; the zero Report for a row whose payload is refused.
func Reports(rows []Row) []shell.Report {
	shared := newWorlds()
	list := make([]shell.Report, len(rows))
	for i := range rows {
		if call, err := callOf(&rows[i], false); err == nil {
			list[i] = analyze(call, shared.at(call.Dir, newMade()))
		}
	}
	return list
}

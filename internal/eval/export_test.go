package eval

// GitFiles hands the files of the virtual repository to a test that puts them
// on disk.
func GitFiles() map[string]string {
	files := map[string]string{}
	for _, f := range gitFiles() {
		files[f.name] = f.content
	}
	return files
}

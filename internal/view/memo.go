package view

// Memo remembers what another view said of names and links, for the time of
// one decision: several layers resolve the same paths. It is not safe for
// concurrent use and never forgets, so it must not outlive a call.
type Memo struct {
	Files
	infos map[string]memoInfo
	links map[string]memoLink
}

type memoInfo struct {
	info Info
	err  error
}

type memoLink struct {
	target string
	err    error
}

// NewMemo returns an empty memory of files.
func NewMemo(files Files) *Memo {
	return &Memo{Files: files, infos: map[string]memoInfo{}, links: map[string]memoLink{}}
}

// Lstat implements Files.
func (m *Memo) Lstat(name string) (Info, error) {
	if r, ok := m.infos[name]; ok {
		return r.info, r.err
	}
	info, err := m.Files.Lstat(name)
	m.infos[name] = memoInfo{info, err}
	return info, err
}

// Readlink implements Files.
func (m *Memo) Readlink(name string) (string, error) {
	if r, ok := m.links[name]; ok {
		return r.target, r.err
	}
	target, err := m.Files.Readlink(name)
	m.links[name] = memoLink{target, err}
	return target, err
}

package match

// HasUnknown reports whether something of a command of the line is not known.
func (m *Call) HasUnknown(command int) bool {
	for _, u := range m.Report.Unknowns {
		if u.Command == command {
			return true
		}
	}
	return false
}

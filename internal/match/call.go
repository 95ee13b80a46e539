package match

func (m *Call) HasUnknown(command int) bool {
	for _, u := range m.Report.Unknowns {
		if u.Command == command {
			return true
		}
	}
	return false
}

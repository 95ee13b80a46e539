package hosts

// DataKeys are the keys in settings of agents and editors whose lists and objects name
// files that nobody starts for it.
func DataKeys() []string {
	return []string{"allow", "ask", "deny", "permission", "additionalDirectories", "sparsePaths",
		"companyAnnouncements", "files.exclude", "files.associations", "files.watcherExclude", "search.exclude",
		"explorer.fileNesting.patterns", "json.schemas", "yaml.schemas", "eslint.workingDirectories",
		"cSpell.words", "cSpell.ignorePaths"}
}

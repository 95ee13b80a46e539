package paths

// TakeApart is an entry without its signs, and whether it starts at the root.
func TakeApart(entry string) (text string, anchored bool) {
	e := takeApart(entry)
	return e.text, e.anchored
}

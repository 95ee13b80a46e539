package shell

// machine is what the command would run on: its files, programs and environment.
// What was looked up once is kept, since it is the same however the text is read.
type machine struct {
	env      Env
	home     placed
	places   []placed
	programs []program
	elements []element
	sheets   []*sheet
}

package confine

import (
	"strings"
	"testing"
)

// What programs print names what they missed: a host, a server, a file.
func TestMissed(t *testing.T) {
	unseen := func(path string) bool { return strings.Contains(path, "unseen") }
	for said, want := range map[string]string{
		"curl: (6) Could not resolve host: example.com":                                                                              "the network: example.com",
		"wget: unable to resolve host address ‘example.com’":                                                                         "the network: example.com",
		"ssh: Could not resolve hostname github.com: Temporary failure in name resolution":                                           "the network: github.com",
		"npm error code ENOTCACHED\nnpm error request to https://registry.npmjs.org/left-pad failed: cache mode is 'only-if-cached'": "the network: registry.npmjs.org",
		"go: golang.org/x/text@v0.3.0: module lookup disabled by GOPROXY=off":                                                        "the network: golang.org",
		"urllib.error.URLError: <urlopen error [Errno -3] Temporary failure in name resolution>":                                     "the network",
		"As a reminder, you're using offline mode (--offline) which can":                                                             "the network",
		"[cause]: Error: getaddrinfo EAI_AGAIN registry.npmjs.org\n code: 'EAI_AGAIN',":                                              "the network: registry.npmjs.org",
		"Cannot connect to the Docker daemon at unix:///var/run/docker.sock.":                                                        "a daemon outside: Docker daemon",
		"connection to server at \"localhost\" (127.0.0.1), port 5432 failed: Connection refused":                                    "a server outside: 5432",
		"dial tcp 127.0.0.1:6379: connect: connection refused":                                                                       "a server outside: 127.0.0.1:6379",
		"Error: connect ECONNREFUSED 127.0.0.1:5432":                                                                                 "a server outside: 127.0.0.1:5432",
		"ConnectionRefusedError: [Errno 111] Connection refused":                                                                     "a server outside",
		"curl: (7) Failed to connect to localhost port 3000 after 0 ms: Couldn't connect to server":                                  "a server outside: 3000",
		"page.goto: net::ERR_CONNECTION_REFUSED at http://localhost:3000/x":                                                          "a server outside: localhost:3000",
		"bash: line 1: /etc/foo: Read-only file system":                                                                              "to write outside of the workspace: /etc/foo",
		"strace: ptrace(PTRACE_TRACEME, ...): Operation not permitted":                                                               "a system call: ptrace",
		"cat: /home/u/.ssh/unseen: No such file or directory":                                                                        "a file that it does not see: /home/u/.ssh/unseen",
		"ls: cannot access '../unseen': No such file or directory":                                                                   "a file that it does not see: ../unseen",
		"FileNotFoundError: [Errno 2] No such file or directory: '/home/u/unseen file'":                                              "a file that it does not see: /home/u/unseen file",
		"Error: ENOENT: no such file or directory, open '/home/u/unseen'":                                                            "a file that it does not see: /home/u/unseen",
		"open seen: no such file or directory\nopen unseen.key: no such file or directory":                                           "a file that it does not see: unseen.key",
		"E: Could not open lock file /var/lib/unseen - open (2: No such file or directory)":                                          "a file that it does not see: /var/lib/unseen",
		"cat: seen: No such file or directory":                                                                                       "",
		"--- FAIL: TestX (0.00s)":                                                                                                    "",
	} {
		if got := strings.Join(missed(said, unseen), "; "); got != want {
			t.Errorf("%q:\n%q, want\n%q", said, got, want)
		}
	}
}

package printable

import "testing"

func TestNear(t *testing.T) {
	roots := []string{"/home/ann/shop", "/srv/lib"}
	for text, want := range map[string]string{
		"this writes /home/ann/shop/src/a.go, which":      "this writes src/a.go, which",
		"/home/ann/shop/a b":                              "a b",
		"this deletes /home/ann/shop, which":              "this deletes ., which",
		"/home/ann/shop":                                  ".",
		"this writes /home/ann/notes.txt":                 "this writes ~/notes.txt",
		"rm -rf /home/ann":                                "rm -rf ~",
		"/home/ann/shopping/list":                         "~/shopping/list",
		"/home/annette/x":                                 "/home/annette/x",
		"/mnt/home/ann/shop/x":                            "/mnt/home/ann/shop/x",
		"cp /home/ann/shop/a /home/ann/shop/b":            "cp a b",
		"--out=/home/ann/shop/b":                          "--out=b",
		"/srv/lib/x":                                      "/srv/lib/x",
		"file:///home/ann/shop/x":                         "file:///home/ann/shop/x",
		"/home/ann/shop/ is not":                          "./ is not",
		"/home/ann/shop//etc":                             ".//etc",
		"/home/ann/shop/home/ann/shop/x":                  "home/ann/shop/x",
		"this runs code that nod has not read: go test .": "this runs code that nod has not read: go test .",
	} {
		if got := Near(text, roots, "/home/ann"); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
	if got := Near("/home/ann/x and /x", nil, ""); got != "/home/ann/x and /x" {
		t.Error(got)
	}
}

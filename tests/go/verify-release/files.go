package main

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"path/filepath"
	"regexp"
	"sort"
	"strings"

	"golang.org/x/mod/sumdb/note"
)

// The signed list of a release's files, with the SHA-256 of each.
type manifest struct {
	Files   map[string]string `json:"files"`
	Release string            `json:"release_id"`
	Inputs  struct {
		Size int64 `json:"tree_size"`
	} `json:"inputs"`
}

// Files that no list names: the lists themselves.
var lists = regexp.MustCompile(`^manifest\.(json|note)$`)

func (a *audit) openManifest() error {
	body, err := a.read("manifest.json")
	if err != nil {
		return err
	}
	if err := json.Unmarshal(body, &a.manifest); err != nil {
		return err
	}
	if a.head.N > tileWidth*int64(len(a.manifest.Files)) {
		return fmt.Errorf("lists fewer files than a tree of %d rows needs", a.head.N) // nobody looks for all of them
	}
	if size := a.manifest.Inputs.Size; size != a.head.N {
		a.fault("manifest.json", "is of a tree of %d rows, not of %d", size, a.head.N)
	}
	a.checkSigned("manifest", body)
	return nil
}

// A list must be signed for this release. A newer key than the tree's may have done it, but no older one.
func (a *audit) checkSigned(what string, body []byte) {
	a.count("signed lists of files", 1)
	path := what + ".note"
	message, err := a.read(path)
	if err != nil {
		a.fault(path, "%v", err)
		return
	}
	var known []note.Verifier
	for i, k := range a.keys {
		if i+1 == len(a.keys) || a.keys[i+1].From >= a.head.N {
			known = append(known, k.verifier)
		}
	}
	manifestKey, err := a.manifestVerifier(known)
	if err != nil {
		a.fault("ledger/keys.json", "%v", err)
	} else if manifestKey != nil {
		known = append(known, manifestKey)
	}
	text, err := openNote(message, known...)
	if err != nil {
		a.fault(path, "%v", err)
	} else if text != fmt.Sprintf("%s/%s\n%s\n%s\n", a.origin, what, a.manifest.Release, hexHash(body)) {
		a.fault(path, "signed for another %s than the published one", what)
	}
}

// The listed files whose paths begin so, in order.
func (a *audit) listed(prefix string) (paths []string) {
	for path := range a.manifest.Files {
		if strings.HasPrefix(path, prefix) {
			paths = append(paths, path)
		}
	}
	sort.Strings(paths)
	return paths
}

func (a *audit) checkFiles() {
	for _, path := range a.listed("") {
		a.checkFile(path, a.manifest.Files[path])
	}
	if a.client == nil {
		a.checkUnlisted()
	}
}

func (a *audit) checkFile(path, listed string) {
	a.count("files", 1)
	if a.read256[path] == "" {
		if _, err := a.read(path); err != nil {
			a.fault(path, "%v", err)
			return
		}
	}
	if a.read256[path] != listed {
		a.fault(path, "its SHA-256 is not the listed one")
	}
}

// Whatever lies in the folder has been read by now, because a list names it.
func (a *audit) checkUnlisted() {
	filepath.WalkDir(a.base, func(path string, entry fs.DirEntry, err error) error {
		relative, _ := filepath.Rel(a.base, path)
		name := filepath.ToSlash(relative)
		if err != nil {
			a.fault(name, "%v", err)
		} else if !entry.IsDir() && a.read256[name] == "" && !lists.MatchString(name) {
			a.fault(name, "no signed list names this file")
		}
		return nil
	})
}

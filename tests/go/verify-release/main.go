// Verify-release checks what a release publishes about its ledger, and shares no code with the service that made it:
// signatures and trees are those of golang.org/x/mod/sumdb, which Go uses for its own checksum database.
//
// It needs this folder and Debian's packages golang-go and golang-golang-x-mod-dev (or any Go with golang.org/x/mod below GOPATH):
//
//	apt-get install --no-install-recommends golang-go golang-golang-x-mod-dev
//	export GO111MODULE=off GOPATH=/usr/share/gocode
//	go run ./verify-release https://example.org           # from the web
//	go run ./verify-release var/current/site              # from a copy of the published files
//
// It checks keys and signatures; every leaf, tile and bundle; the root of every tree head ever signed, and that the newest tree
// continues it; inclusion proofs made of tiles; disclosures and published observations against their leaves; and the hash of
// every listed file. It does not look for rows withheld without a redaction, does not verify time stamps, and does not
// compute scores again.
//
// With -vkey it trusts only a key that you have from elsewhere and those that it leads to, with -since it also proves that a
// checkpoint you kept is still part of the history, with -proof it checks a .tlog-proof file. Each fault is a line that names
// the row or the file; the exit code is 1 then, and 2 when the command line is wrong. Whatever a web server does, the program
// ends: all files together have a time and a size, and a site that goes beyond is a fault, too.
package main

import (
	"flag"
	"fmt"
	"os"

	"golang.org/x/mod/sumdb/tlog"
)

// An audit holds what has been read so far, what was checked, and how much was wrong.
type audit struct {
	*site
	faults  int
	checked []string
	counts  map[string]int

	keys         []key
	origin       string
	head         tlog.Tree
	manifestKeys []manifestKey
	manifest     manifest
	leaves       [][]byte
	hashes       storedHashes
}

func (a *audit) fault(subject, format string, args ...interface{}) {
	a.faults++
	fmt.Printf("FAULT  %s: %s\n", subject, fmt.Sprintf(format, args...))
}

func (a *audit) count(what string, n int) {
	if _, known := a.counts[what]; !known {
		a.checked = append(a.checked, what)
	}
	a.counts[what] += n
}

func (a *audit) run(trusted, since, proof string) {
	defer func() {
		switch met := recover().(type) {
		case nil:
		case boundMet:
			a.fault(a.base, "%s", met)
		default:
			panic(met)
		}
	}()
	if err := a.openKeys(); err != nil {
		a.fault("ledger/keys.json", "%v", err)
		return
	}
	if err := a.openNewest(trusted); err != nil {
		a.fault("ledger/checkpoint", "%v", err)
		return
	}
	if err := a.openManifest(); err != nil {
		a.fault("manifest.json", "%v", err)
		return
	}
	a.readLeaves()
	a.checkHead("ledger/checkpoint", a.head)
	a.checkTiles(a.openHeads())
	a.checkInclusions()
	leaves := a.parseLeaves()
	a.checkDisclosures(leaves)
	a.checkObservations(leaves)
	a.checkFiles()
	a.checkOwn(since, a.checkSince)
	a.checkOwn(proof, a.checkProof)
}

// A file that the reader brought, if any.
func (a *audit) checkOwn(file string, check func(string) error) {
	if file == "" {
		return
	}
	if err := check(file); err != nil {
		a.fault(file, "%v", err)
	}
}

func main() {
	trusted := flag.String("vkey", "", "a verification `key` of the log that you have from elsewhere")
	since := flag.String("since", "", "`file` with a checkpoint that you kept")
	proof := flag.String("proof", "", "`file` with a .tlog-proof to check")
	maxHours := flag.Float64("max-hours", 24, "how long the files at a URL may take, all together")
	maxGb := flag.Float64("max-gb", 100, "how large the files at a URL may be, all together")
	flag.Parse()
	if flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "usage: verify-release [-vkey KEY] [-since FILE] [-proof FILE] [-max-hours N] [-max-gb N] FOLDER_OR_URL")
		os.Exit(2)
	}
	a := &audit{site: openSite(flag.Arg(0), *maxHours, *maxGb), counts: map[string]int{}}
	a.run(*trusted, *since, *proof)
	for _, what := range a.checked {
		fmt.Printf("%12d  %s checked\n", a.counts[what], what)
	}
	fmt.Printf("%s: %d faults\n", a.base, a.faults)
	if a.faults > 0 {
		os.Exit(1)
	}
}

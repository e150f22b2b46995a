package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"strings"

	"golang.org/x/mod/sumdb/tlog"
)

// What a leaf says in the open. The fields stand in the order of canonical JSON.
type leaf struct {
	Digests   []string `json:"_sd"`
	Algorithm string   `json:"_sd_alg"`
	Row       int64    `json:"i"`
	Kind      string   `json:"k"`
	Version   int      `json:"v"`
}

func (a *audit) parseLeaves() []leaf {
	parsed := make([]leaf, len(a.leaves))
	for n, text := range a.leaves {
		l := &parsed[n]
		err := json.Unmarshal(text, l)
		if err == nil {
			if canonical, _ := json.Marshal(l); !bytes.Equal(canonical, text) || l.Algorithm != "sha-256" || l.Version != 1 {
				err = errors.New("not a leaf in canonical form")
			}
		}
		if err != nil {
			a.fault(rowName(int64(n)), "%v", err)
		} else if l.Row != int64(n)+1 {
			a.fault(rowName(int64(n)), "its leaf says that it is row %d", l.Row)
		}
	}
	return parsed
}

func (a *audit) checkDisclosures(leaves []leaf) {
	for n := int64(0); n*tileWidth < int64(len(leaves)); n++ {
		path := disclosuresPath(n)
		body, err := a.read(path)
		if err != nil {
			a.fault(path, "%v", err)
			continue
		}
		seen := map[int64]bool{}
		for _, line := range strings.SplitAfter(string(body), "\n") {
			if line != "" {
				a.checkDisclosure(path, line, n, leaves, seen)
			}
		}
	}
}

// A disclosure's digest must be one of its leaf's.
func (a *audit) checkDisclosure(path, line string, n int64, leaves []leaf, seen map[int64]bool) {
	a.count("disclosures", 1)
	var published struct {
		Row  int64  `json:"i"`
		Text string `json:"d"`
	}
	err := json.Unmarshal([]byte(line), &published)
	row := published.Row
	if err != nil || row <= n*tileWidth || row > (n+1)*tileWidth || row > int64(len(leaves)) || seen[row] {
		a.fault(path, "not a disclosure of one of its rows: %.60s", line)
		return
	}
	seen[row] = true
	sum := sha256.Sum256([]byte(published.Text))
	digest := base64.RawURLEncoding.EncodeToString(sum[:])
	for _, committed := range leaves[row-1].Digests {
		if committed == digest {
			return
		}
	}
	a.fault(rowName(row-1), "its leaf does not commit to what %s says", path)
}

// The ledger_hash that a record's list of observations gives must be that of the leaf.
func (a *audit) checkObservations(leaves []leaf) {
	for _, path := range a.listed("api/v1/observations/") {
		var list struct {
			Observations []struct {
				Row  int64  `json:"id"`
				Hash string `json:"ledger_hash"`
			} `json:"observations"`
		}
		body, err := a.read(path)
		if err == nil {
			err = json.Unmarshal(body, &list)
		}
		if err != nil {
			a.fault(path, "%v", err)
		}
		for _, o := range list.Observations {
			a.count("published observations", 1)
			n := o.Row - 1
			if n < 0 || n >= int64(len(leaves)) || leaves[n].Kind != "observation" {
				a.fault(rowName(n), "%s lists it, and it is no observation of the tree", path)
			} else if hash := tlog.RecordHash(a.leaves[n]); hex.EncodeToString(hash[:]) != o.Hash {
				a.fault(rowName(n), "%s gives another ledger_hash than its leaf has", path)
			}
		}
	}
}

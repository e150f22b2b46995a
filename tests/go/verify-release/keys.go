package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

// A key signs the trees that are larger than From, up to the next key's.
type key struct {
	Vkey        string  `json:"vkey"`
	From        int64   `json:"from_tree_size"`
	Endorsement *string `json:"endorsement"`
	verifier    note.Verifier
}

// A key that signs the lists of files of releases.
type manifestKey struct {
	Vkey        string `json:"vkey"`
	CreatedAt   string `json:"created_at"`
	Endorsement string `json:"endorsement"`
}

// Reads the log's keys. Each is endorsed by the one before, so they are as good as the oldest.
func (a *audit) openKeys() error {
	body, err := a.read("ledger/keys.json")
	if err != nil {
		return err
	}
	var list struct {
		Origin       string        `json:"origin"`
		Keys         []key         `json:"keys"`
		ManifestKeys []manifestKey `json:"manifest_keys"`
	}
	if err := json.Unmarshal(body, &list); err != nil {
		return err
	}
	a.origin = list.Origin
	a.manifestKeys = list.ManifestKeys
	for _, k := range list.Keys {
		if k.verifier, err = note.NewVerifier(k.Vkey); err != nil {
			return fmt.Errorf("%s: %v", k.Vkey, err)
		}
		if k.verifier.Name() != a.origin {
			return fmt.Errorf("%s does not sign for %s", k.Vkey, a.origin)
		}
		if err := a.checkEndorsement(k); err != nil {
			return fmt.Errorf("%s: %v", k.Vkey, err)
		}
		a.keys = append(a.keys, k)
	}
	a.count("signing keys", len(a.keys))
	if len(a.keys) == 0 {
		return errors.New("no key is published")
	}
	return nil
}

// Whoever forges a log can let their key endorse the one that the reader knows, for a size that never comes.
// So the key from elsewhere must have signed this tree, or lead to the key that did.
func (a *audit) checkTrust(trusted string) error {
	for _, k := range a.keys {
		if k.Vkey == trusted {
			return nil
		}
		if k.Vkey == a.signer(a.head.N).Vkey {
			break
		}
	}
	return errors.New("the key that you gave neither signed it nor leads to the key that did")
}

// By the last of the keys before it.
func (a *audit) checkEndorsement(k key) error {
	if len(a.keys) == 0 {
		if k.Endorsement != nil || k.From != 0 {
			return errors.New("the first key begins with the empty tree, and no key endorses it")
		}
		return nil
	}
	for _, earlier := range a.keys {
		if earlier.Vkey == k.Vkey {
			return errors.New("it comes twice")
		}
	}
	before := a.keys[len(a.keys)-1]
	if k.Endorsement == nil || k.From < before.From {
		return errors.New("it does not follow the key before it")
	}
	text, err := openNote([]byte(*k.Endorsement), before.verifier)
	if err == nil && text != fmt.Sprintf("%s/keys\n%s\n%d\n", a.origin, k.Vkey, k.From) {
		err = errors.New("the endorsement is for something else")
	}
	return err
}

// The newest key of lists of files, if a key of the log that may do so endorses it. Older releases have none.
func (a *audit) manifestVerifier(endorsers []note.Verifier) (note.Verifier, error) {
	if len(a.manifestKeys) == 0 {
		return nil, nil
	}
	newest := a.manifestKeys[len(a.manifestKeys)-1]
	text, err := openNote([]byte(newest.Endorsement), endorsers...)
	if err != nil {
		return nil, err
	}
	if text != fmt.Sprintf("%s/manifest-keys\n%s\n%s\n", a.origin, newest.Vkey, newest.CreatedAt) {
		return nil, errors.New("the endorsement is for something else")
	}
	verifier, err := note.NewVerifier(newest.Vkey)
	if err == nil && verifier.Name() != a.origin+"/manifest" {
		err = fmt.Errorf("%s does not sign lists of files of %s", newest.Vkey, a.origin)
	}
	return verifier, err
}

func openNote(message []byte, known ...note.Verifier) (string, error) {
	opened, err := note.Open(message, note.VerifierList(known...))
	if err != nil {
		return "", err
	}
	return opened.Text, nil
}

func (a *audit) openNewest(trusted string) error {
	message, err := a.read("ledger/checkpoint")
	if err == nil {
		a.head, err = a.openHead(message)
	}
	if err == nil && trusted != "" {
		err = a.checkTrust(strings.TrimSpace(trusted))
	}
	if err != nil {
		return err
	}
	published, err := a.read("ledger/vkey")
	if err != nil || string(published) != a.signer(a.head.N).Vkey+"\n" {
		a.fault("ledger/vkey", "is not the key that signed the checkpoint (%v)", err)
	}
	path := fmt.Sprintf("ledger/checkpoints/%d", a.head.N)
	if kept, err := a.read(path); err != nil || string(kept) != string(message) {
		a.fault(path, "is not the newest checkpoint as it was signed (%v)", err)
	}
	return nil
}

// The one key that may sign a tree of that size.
func (a *audit) signer(size int64) key {
	signer := a.keys[0]
	for _, k := range a.keys {
		if k.From < size {
			signer = k
		}
	}
	return signer
}

func (a *audit) openHead(message []byte) (tlog.Tree, error) {
	claimed, err := a.parseHead(string(message)) // asks for a wrong key if it lies
	if err != nil {
		return tlog.Tree{}, err
	}
	text, err := openNote(message, a.signer(claimed.N).verifier)
	if err != nil {
		return tlog.Tree{}, err
	}
	return a.parseHead(text)
}

func (a *audit) parseHead(text string) (tlog.Tree, error) {
	lines := strings.SplitN(text, "\n", 4)
	if len(lines) < 4 || lines[0] != a.origin {
		return tlog.Tree{}, fmt.Errorf("not a checkpoint of %s", a.origin)
	}
	size, err := strconv.ParseInt(lines[1], 10, 64)
	if err != nil || size < 0 || strconv.FormatInt(size, 10) != lines[1] {
		return tlog.Tree{}, fmt.Errorf("not a size: %q", lines[1])
	}
	root, err := tlog.ParseHash(lines[2])
	return tlog.Tree{N: size, Hash: root}, err
}

package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"sort"

	"golang.org/x/mod/sumdb/tlog"
)

// Hashes of all whole subtrees, in the order in which sumdb stores them.
type storedHashes []tlog.Hash

func (s storedHashes) ReadHashes(indexes []int64) ([]tlog.Hash, error) {
	found := make([]tlog.Hash, len(indexes))
	for i, index := range indexes {
		if index >= int64(len(s)) {
			return nil, errors.New("beyond the rows that could be read")
		}
		found[i] = s[index]
	}
	return found, nil
}

// Grows the tree from the published leaves, as far as they can be read.
func (a *audit) readLeaves() {
	for n := int64(0); n*tileWidth < a.head.N; n++ {
		width := a.head.N - n*tileWidth
		if width > tileWidth {
			width = tileWidth
		}
		path := entriesPath(tlog.Tile{H: tileHeight, L: 0, N: n, W: int(width)})
		if err := a.readBundle(path, width); err != nil {
			a.fault(path, "%v", err)
			break
		}
	}
	a.count("leaves", len(a.leaves))
}

func (a *audit) readBundle(path string, width int64) error {
	bundle, err := a.read(path)
	if err != nil {
		return err
	}
	leaves, err := splitBundle(bundle)
	if err != nil {
		return err
	}
	if int64(len(leaves)) != width {
		return fmt.Errorf("holds %d leaves, not %d", len(leaves), width)
	}
	for _, leaf := range leaves {
		stored, err := tlog.StoredHashes(int64(len(a.leaves)), leaf, a.hashes)
		if err != nil {
			return err
		}
		a.leaves = append(a.leaves, leaf)
		a.hashes = append(a.hashes, stored...)
	}
	return nil
}

// Each leaf stands behind its length, a big-endian uint16.
func splitBundle(bundle []byte) (leaves [][]byte, err error) {
	for len(bundle) > 0 {
		if len(bundle) < 2 || len(bundle) < 2+int(binary.BigEndian.Uint16(bundle)) {
			return nil, errors.New("cut short")
		}
		end := 2 + int(binary.BigEndian.Uint16(bundle))
		leaves = append(leaves, bundle[2:end])
		bundle = bundle[end:]
	}
	return leaves, nil
}

func joinBundle(leaves [][]byte) (bundle []byte) {
	for _, leaf := range leaves {
		bundle = append(bundle, byte(len(leaf)>>8), byte(len(leaf)))
		bundle = append(bundle, leaf...)
	}
	return bundle
}

// Checks all tree heads ever published, and returns the sizes of those that the log signed.
func (a *audit) openHeads() []int64 {
	sizes := []int64{a.head.N}
	for _, path := range a.listed("ledger/checkpoints/") {
		message, err := a.read(path)
		var head tlog.Tree
		if err == nil {
			head, err = a.openHead(message)
		}
		if err == nil && path != fmt.Sprintf("ledger/checkpoints/%d", head.N) {
			err = fmt.Errorf("is of %d rows", head.N)
		}
		if err != nil {
			a.fault(path, "%v", err)
			continue
		}
		a.checkHead(path, head)
		sizes = append(sizes, head.N)
	}
	sort.Slice(sizes, func(i, j int) bool { return sizes[i] < sizes[j] })
	return sizes
}

func (a *audit) checkHead(subject string, head tlog.Tree) {
	a.count("tree heads", 1)
	if head.N == 0 && head.Hash == tlog.Hash(sha256.Sum256(nil)) {
		return
	}
	if head.N > a.head.N {
		a.fault(subject, "is of %d rows, and the log now shows %d", head.N, a.head.N)
		return
	}
	if root, err := tlog.TreeHash(head.N, a.hashes); err != nil || root != head.Hash {
		a.fault(subject, "the leaves do not lead to its root")
	}
	proof, err := tlog.ProveTree(a.head.N, head.N, a.hashes)
	if err == nil {
		err = tlog.CheckTree(proof, a.head.N, a.head.Hash, head.N, head.Hash)
	}
	if err != nil {
		a.fault(subject, "the newest tree does not continue this one: %v", err)
	}
}

// Compares every tile and bundle of every size ever signed with the tree grown from the leaves.
func (a *audit) checkTiles(sizes []int64) {
	before := int64(0)
	for _, size := range sizes {
		for _, tile := range tlog.NewTiles(tileHeight, before, size) {
			end := tile.N*tileWidth + int64(tile.W)
			if tile.W < tileWidth && end != size>>(tileHeight*tile.L) {
				continue // some versions of sumdb also name partial tiles that no signed size has
			}
			a.checkTile(tile)
		}
		before = size
	}
}

func (a *audit) checkTile(tile tlog.Tile) {
	expected, err := tlog.ReadTileData(tile, a.hashes)
	if err != nil {
		a.fault(tilePath(tile), "cannot be compared: %v", err)
		return
	}
	published := a.compare(tilePath(tile), expected)
	if tile.L > 0 {
		return
	}
	first := tile.N * tileWidth
	end := first + int64(tile.W)
	a.compare(entriesPath(tile), joinBundle(a.leaves[first:end]))
	if tile.W == tileWidth || end == a.head.N {
		a.nameRows(tilePath(tile), first, expected, published)
	}
}

func (a *audit) compare(path string, expected []byte) []byte {
	a.count("tiles and bundles", 1)
	published, err := a.read(path)
	if err != nil {
		a.fault(path, "%v", err)
	} else if !bytes.Equal(published, expected) {
		a.fault(path, "is not what the leaves lead to")
	}
	return published
}

// Names the rows whose leaves are not those of a tile.
func (a *audit) nameRows(path string, first int64, expected, published []byte) {
	for at := 0; at+tlog.HashSize <= len(published) && at < len(expected); at += tlog.HashSize {
		if !bytes.Equal(published[at:at+tlog.HashSize], expected[at:at+tlog.HashSize]) {
			a.fault(rowName(first+int64(at/tlog.HashSize)), "its leaf is not the one in %s", path)
		}
	}
}

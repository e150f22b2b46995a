package main

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/tlog"
)

// Rows, spread over the tree, whose inclusion is proved from the tiles.
const samples = 500

// The published tiles as sumdb reads them: it believes only those that lead to the signed root.
type tileReader struct{ *audit }

func (tileReader) Height() int { return tileHeight }

func (tileReader) SaveTiles([]tlog.Tile, [][]byte) {}

func (r tileReader) ReadTiles(tiles []tlog.Tile) (data [][]byte, err error) {
	for _, tile := range tiles {
		body, err := r.read(tilePath(tile))
		if err != nil {
			return nil, fmt.Errorf("%s: %v", tilePath(tile), err)
		}
		if len(body) != tile.W*tlog.HashSize {
			return nil, fmt.Errorf("%s: has %d bytes", tilePath(tile), len(body))
		}
		data = append(data, body)
	}
	return data, nil
}

func (a *audit) checkInclusions() {
	tiles := tlog.TileHashReader(a.head, tileReader{a})
	step := a.head.N/samples + 1
	for n := int64(0); n < a.head.N; n++ {
		atEdge := n == a.head.N-1 || n < 4*tileWidth && (n+1)%tileWidth < 2
		if n%step != 0 && !atEdge {
			continue
		}
		a.count("inclusion proofs made of tiles", 1)
		proof, err := tlog.ProveRecord(a.head.N, n, tiles)
		if err == nil {
			err = a.checkRecord(proof, a.head, n)
		}
		if err != nil {
			a.fault(rowName(n), "no proof from the tiles: %v", err)
		}
	}
}

func (a *audit) checkRecord(proof tlog.RecordProof, head tlog.Tree, n int64) error {
	if n >= head.N || n >= int64(len(a.leaves)) {
		return errors.New("the tree has no such row")
	}
	return tlog.CheckRecord(proof, head.N, head.Hash, n, tlog.RecordHash(a.leaves[n]))
}

// Header, an extra line perhaps, index, hashes, an empty line, and the checkpoint (C2SP tlog-proof).
var proofForm = regexp.MustCompile(`(?s)^c2sp\.org/tlog-proof@v1\n(?:extra [^\n]*\n)?index (\d+)\n((?:\S+\n)*)\n(.*)$`)

func (a *audit) checkProof(file string) error {
	body, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	parts := proofForm.FindStringSubmatch(string(body))
	if parts == nil {
		return errors.New("not a .tlog-proof")
	}
	index, err := strconv.ParseInt(parts[1], 10, 64)
	if err != nil {
		return err
	}
	var proof tlog.RecordProof
	for _, line := range strings.Fields(parts[2]) {
		hash, err := tlog.ParseHash(line)
		if err != nil {
			return err
		}
		proof = append(proof, hash)
	}
	head, err := a.openHead([]byte(parts[3]))
	if err != nil {
		return err
	}
	a.checkHead(file, head)
	if err := a.checkRecord(proof, head, index); err != nil {
		return fmt.Errorf("%s: %v", rowName(index), err)
	}
	fmt.Printf("%s proves %s in the tree of %d rows: %s\n", file, rowName(index), head.N, a.leaves[index])
	return nil
}

// A checkpoint from earlier: the history that it stands for must still be there.
func (a *audit) checkSince(file string) error {
	message, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	head, err := a.openHead(message)
	if err == nil {
		a.checkHead(file, head)
	}
	return err
}

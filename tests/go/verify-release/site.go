package main

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/mod/sumdb/tlog"
)

const (
	tileHeight = 8
	tileWidth  = 1 << tileHeight
	maxFile    = 1 << 29 // bytes: no file of a release comes near
	gb         = 1_000_000_000
)

// A site is the published files, in a folder or at a URL. It remembers the SHA-256 of all that it read.
type site struct {
	base    string
	client  *http.Client // nil for a folder
	read256 map[string]string

	// Of a URL: how long all files together may take, how large they may be, and what came.
	maxHours, maxGb float64
	begun           time.Time
	came            int64
}

// A boundMet is why a site is asked no more. Whatever reads panics with it, and the audit ends.
type boundMet string

func openSite(base string, maxHours, maxGb float64) *site {
	s := &site{
		base: strings.TrimRight(base, "/"), read256: map[string]string{},
		maxHours: maxHours, maxGb: maxGb, begun: time.Now(),
	}
	if strings.HasPrefix(base, "http://") || strings.HasPrefix(base, "https://") {
		s.client = &http.Client{
			Timeout:   time.Minute,
			Transport: &http.Transport{DisableCompression: true},
			CheckRedirect: func(*http.Request, []*http.Request) error { // evidence has one address
				return http.ErrUseLastResponse
			},
		}
	}
	return s
}

func (s *site) read(path string) ([]byte, error) {
	body, err := s.fetch(path)
	if err == nil {
		s.read256[path] = hexHash(body)
	}
	return body, err
}

func (s *site) fetch(path string) ([]byte, error) {
	if s.client == nil {
		return os.ReadFile(filepath.Join(s.base, filepath.FromSlash(path)))
	}
	if time.Since(s.begun).Hours() > s.maxHours {
		panic(boundMet(fmt.Sprintf("not read within %g h (%s): raise -max-hours, or try again later", s.maxHours, s.soFar(path))))
	}
	response, err := s.client.Get(s.base + "/" + (&url.URL{Path: path}).EscapedPath())
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, errors.New(response.Status)
	}
	left := int64(s.maxGb*gb) - s.came
	limit := left + 1
	if limit > maxFile {
		limit = maxFile
	}
	body, err := io.ReadAll(io.LimitReader(response.Body, limit))
	s.came += int64(len(body))
	if int64(len(body)) > left {
		panic(boundMet(fmt.Sprintf("more than %g GB came (%s): raise -max-gb if you trust the site", s.maxGb, s.soFar(path))))
	}
	return body, err
}

func (s *site) soFar(path string) string {
	return fmt.Sprintf("%d files and %d bytes, then %s", len(s.read256), s.came, path)
}

// sumdb's own path, less the height that it names.
func tilePath(t tlog.Tile) string {
	return "ledger/tile/" + strings.TrimPrefix(t.Path(), fmt.Sprintf("tile/%d/", tileHeight))
}

// Leaves lie in bundles as wide as the tiles of level 0.
func entriesPath(t tlog.Tile) string {
	return "ledger/tile/entries/" + strings.TrimPrefix(tilePath(t), "ledger/tile/0/")
}

func disclosuresPath(n int64) string {
	full := tlog.Tile{H: tileHeight, L: 0, N: n, W: tileWidth}
	return "ledger/disclosures/" + strings.TrimPrefix(tilePath(full), "ledger/tile/0/") + ".ndjson"
}

// Rows count from 1.
func rowName(index int64) string { return fmt.Sprintf("row %d", index+1) }

func hexHash(body []byte) string {
	sum := sha256.Sum256(body)
	return hex.EncodeToString(sum[:])
}

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  byteRange,
  isExpected,
  isKnown,
  isUnchanged,
  preferredEncoding,
  prefersGzip,
  wantedRange,
} from "./negotiate.ts";

describe("negotiate", () => {
  describe("Accept-Encoding", () => {
    test.each([
      [undefined, false],
      ["", false],
      ["gzip", true],
      ["gzip, deflate, br, zstd", true],
      ["GZIP ;q=0.5, br;q=0.9", true],
      ["br", false],
      ["br;q=0, gzip;q=1.0", true],
      ["*", true],
      ["*;q=0", false],
      ["gzip;q=0, *", false],
      // A client that wants plain bytes most of all gets them.
      ["identity, gzip;q=0.5", false],
      // Nothing of ours is acceptable: plain bytes are better than a 406 that no client expects.
      ["identity;q=0", false],
      ["identity;q=0, gzip", true],
      // No weights at all (RFC 9110 12.4.2): not accepted rather than guessed at.
      ["gzip;q=2", false],
      ["gzip;q=-1, br;q=x", false],
      [`gzip, ${"x".repeat(1000)}`, false],
    ])("%j -> %j", (header, isPreferred) => {
      expect(prefersGzip(header)).toBe(isPreferred);
      expect(prefersGzip(header)).toBe(isPreferred); // remembered, and still the same
    });

    test.each([
      [undefined, "identity"],
      ["gzip, deflate, br, zstd", "zstd"],
      ["gzip, deflate, br", "br"],
      ["gzip;q=1, br;q=0.8, zstd;q=0.5", "gzip"],
      ["zstd;q=0.2, identity;q=0.5, br;q=0.5", "br"],
      ["identity, zstd;q=0.9", "identity"],
      ["zstd;q=0, *", "gzip"],
      ["deflate", "identity"],
    ])("of three, %j wants %s", (header, encoding) => {
      expect(preferredEncoding(header, ["zstd", "br", "gzip"])).toBe(encoding);
    });
  });
});

describe("conditional", () => {
  describe("entity tags", () => {
    test.each([
      [undefined, false],
      ['"a"', true],
      ['W/"a"', true],
      ['"b", W/"a"', true],
      ["*", true],
      ['"A"', false],
      ["a", false],
      ["", false],
    ])('If-None-Match %j of "a": unchanged is %j', (header, unchanged) => {
      expect(isUnchanged(header, '"a"')).toBe(unchanged);
    });

    test.each([
      [undefined, true],
      ["*", true],
      ['"b", "a"', true],
      ['W/"a"', false], // strong comparison
      ['"b"', false],
    ])('If-Match %j of "a": expected is %j', (header, expected) => {
      expect(isExpected(header === undefined ? {} : { "if-match": header }, { etag: '"a"' })).toBe(expected);
    });

    test("If-Unmodified-Since counts where it is a date, and not beside If-Match", () => {
      const sent = { etag: '"a"', lastModified: "Fri, 20 Nov 2026 17:44:58 GMT" };
      const since = (date: string, more = {}) => isExpected({ "if-unmodified-since": date, ...more }, sent);
      expect(since("Fri, 20 Nov 2026 17:44:58 GMT")).toBe(true);
      expect(since("Fri, 20 Nov 2026 17:44:59 GMT")).toBe(true);
      expect(since("Fri, 20 Nov 2026 17:44:57 GMT")).toBe(false);
      expect(since("Fri, 20 Nov 2026 17:44:57 GMT", { "if-match": '"a"' })).toBe(true);
      expect(since("Fri, 20 Nov 2026 17:44:59 GMT", { "if-match": '"b"' })).toBe(false);
      for (const odd of ["2001", "yesterday", ""]) expect(since(odd)).toBe(true);
      expect(isExpected({ "if-unmodified-since": "Fri, 20 Nov 2026 17:44:57 GMT" }, { etag: '"a"' })).toBe(
        true,
      );
    });

    test("If-Range keeps the range for the same bytes only", () => {
      const range = "bytes=0-1";
      expect(wantedRange({ range }, { etag: '"a"' })).toBe(range);
      expect(wantedRange({ range, "if-range": '"a"' }, { etag: '"a"' })).toBe(range);
      const dated = { etag: '"a"', lastModified: "Fri, 20 Nov 2026 17:44:59 GMT" };
      expect(wantedRange({ range, "if-range": dated.lastModified }, dated)).toBe(range);
      for (const ifRange of ['"b"', 'W/"a"', "Fri, 20 Nov 2026 17:44:58 GMT"])
        expect(wantedRange({ range, "if-range": ifRange }, dated)).toBeUndefined();
    });

    test("If-Modified-Since counts with the very date that was sent, and not beside If-None-Match", () => {
      const lastModified = "Fri, 20 Nov 2026 17:44:58 GMT";
      const later = "Fri, 20 Nov 2026 17:44:59 GMT";
      const sent = { etag: '"a"', lastModified };
      expect(isKnown({ "if-modified-since": lastModified }, sent)).toBe(true);
      expect(isKnown({ "if-modified-since": later }, sent)).toBe(false);
      expect(isKnown({ "if-modified-since": lastModified, "if-none-match": '"b"' }, sent)).toBe(false);
      expect(isKnown({ "if-modified-since": later }, { etag: '"a"' })).toBe(false);
    });
  });

  describe("byte ranges of 10 bytes", () => {
    test.each([
      ["bytes=0-3", { start: 0, end: 3 }],
      ["Bytes=9-9", { start: 9, end: 9 }],
      ["bytes=4-", { start: 4, end: 9 }],
      ["bytes=4-999", { start: 4, end: 9 }],
      ["bytes=-3", { start: 7, end: 9 }],
      ["bytes=-99", { start: 0, end: 9 }],
      ["bytes=10-", null],
      ["bytes=10-11", null],
      ["bytes=-0", null],
      ["bytes=5-4", undefined],
      ["bytes=-", undefined],
      ["bytes=0-1,3-4", undefined], // several ranges: the whole, which is always allowed
      ["lines=0-1", undefined],
      ["bytes=1e1-2", undefined],
      ["bytes=99999999999999999999-", undefined],
      [undefined, undefined],
    ])("%j -> %j", (header, range) => {
      expect(byteRange(header, 10)).toEqual(range);
    });

    test("a range always lies within the body", () => {
      const header = fc.tuple(fc.option(fc.nat(50)), fc.option(fc.nat(50)));
      fc.assert(
        fc.property(header, fc.nat(20), ([first, last], length) => {
          const range = byteRange(`bytes=${first ?? ""}-${last ?? ""}`, length);
          if (range === null || range === undefined) return;
          expect(range.start).toBeLessThanOrEqual(range.end);
          expect(range.end).toBeLessThan(length);
        }),
      );
    });

    test("no byte of an empty file can be asked for", () => {
      for (const header of ["bytes=0-", "bytes=-1", "bytes=0-0"]) expect(byteRange(header, 0)).toBeNull();
    });
  });
});

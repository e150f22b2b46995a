import { describe, expect, test } from "vitest";
import { prefersGzip } from "./negotiate.ts";

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
});

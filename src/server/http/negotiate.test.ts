import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { acceptedEncodings } from "./negotiate.ts";

describe("Accept-Encoding", () => {
  test.each([
    [undefined, ["identity"]],
    ["", ["identity"]],
    ["gzip", ["gzip", "identity"]],
    ["gzip, deflate, br, zstd", ["br", "gzip", "identity"]],
    ["GZIP ;q=0.5, br;q=0.1", ["gzip", "br", "identity"]],
    ["br;q=0, gzip;q=1.0", ["gzip", "identity"]],
    ["*", ["br", "gzip", "identity"]],
    ["*;q=0", ["identity"]],
    ["br;q=0, *;q=0.3", ["gzip", "identity"]],
    // A client that wants plain bytes most of all gets them.
    ["identity, gzip;q=0.5", ["identity", "gzip"]],
    // Nothing of ours is acceptable: plain bytes are better than a 406 that no client expects.
    ["identity;q=0", ["identity"]],
    ["identity;q=0, gzip", ["gzip", "identity"]],
    // No weights at all (RFC 9110 12.4.2): not accepted rather than guessed at.
    ["gzip;q=2", ["identity"]],
    ["gzip;q=-1, br;q=x", ["identity"]],
  ])("%j -> %j", (header, encodings) => {
    expect(acceptedEncodings(header)).toEqual(encodings);
  });

  test("whatever comes: each encoding once at most, and identity among them", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(..."brgzip*identity;q=01., ") }), (header) => {
        const encodings = acceptedEncodings(header);
        expect(encodings).toContain("identity");
        expect(new Set(encodings).size).toBe(encodings.length);
        expect(acceptedEncodings(header)).toEqual(encodings); // remembered, and still the same
      }),
    );
  });
});

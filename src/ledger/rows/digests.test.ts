import canonicalize from "canonicalize";
import fc from "fast-check";
import { expect, test } from "vitest";
import { leafHash } from "../../kernel/hash.ts";
import { seededBytes } from "../../kernel/seeded.ts";

import {
  BODY_NAME,
  claimDigest,
  commit,
  commitValues,
  DIGEST_COUNT,
  digestTexts,
  disclosure,
  disclosureDigest,
  leafText,
} from "./digests.ts";

test("the disclosure of RFC 9901, 4.2.1", () => {
  expect(disclosureDigest("WyJfMjZiYzRMVC1hYzZxMktJNmNCVzVlcyIsICJmYW1pbHlfbmFtZSIsICJNw7ZiaXVzIl0")).toBe(
    "X9yH0Ajrdm1Oij4tWso9UzzKJvPoDxwmuEcO3XAdRC0",
  );
});

test("a disclosure is base64url of JSON [salt, name, value]", () => {
  const text = disclosure("_26bc4LT-ac6q2KI6cBW5es", { name: "family_name", json: '"Möbius"' });
  expect(JSON.parse(Buffer.from(text, "base64url").toString())).toEqual([
    "_26bc4LT-ac6q2KI6cBW5es",
    "family_name",
    "Möbius",
  ]);
  expect(text).toMatch(/^[A-Za-z0-9_-]+$/);
});

const valueSets = fc.dictionary(
  fc.string(),
  fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null)),
  {
    maxKeys: DIGEST_COUNT - 1,
    noNullPrototype: true,
  },
);

test("a row always has five sorted digests, and its body and each private value open one of them", () => {
  const random = seededBytes("digests");
  fc.assert(
    fc.property(fc.integer({ min: 1 }), fc.json(), valueSets, (id, body, values) => {
      const committed = commitValues(values, random);
      const { salts, digests, leafHash: leaf } = commit(id, "observation", body, committed, random);
      const texts = digestTexts(digests);
      expect(texts).toHaveLength(DIGEST_COUNT);
      expect(texts).toEqual(texts.toSorted());
      expect(new Set(texts).size).toBe(DIGEST_COUNT);
      const claims = [
        { name: BODY_NAME, json: body },
        ...Object.entries(values).map(([name, value]) => ({ name, json: JSON.stringify(value) })),
      ];
      for (const [index, claim] of claims.entries())
        expect(texts).toContain(claimDigest(salts, index, claim));
      expect(committed.json).toBe(JSON.stringify(values));
      expect(leaf).toEqual(leafHash(leafText(id, "observation", texts)));
    }),
  );
});

test("two rows with the same values share no digest", () => {
  const random = seededBytes("same");
  const digests = (id: number) =>
    digestTexts(commit(id, "city", '{"city":"toronto"}', commitValues({ place: 1 }, random), random).digests);
  const second = digests(2);
  expect(digests(1).filter((digest) => second.includes(digest))).toEqual([]);
});

test("more than four private values are refused", () => {
  const values = { a: 1, b: 2, c: 3, d: 4, e: 5 };
  expect(() => commitValues(values, seededBytes("many"))).toThrow(RangeError);
});

test("the leaf is the canonical JSON of its members", () => {
  const digests = digestTexts(seededBytes("leaf")(160));
  const leaf = { v: 1, k: "observation", i: 42, _sd_alg: "sha-256", _sd: digests };
  expect(leafText(42, "observation", digests)).toBe(canonicalize(leaf));
});

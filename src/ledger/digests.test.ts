import canonicalize from "canonicalize";
import fc from "fast-check";
import { expect, test } from "vitest";
import {
  claimDigest,
  commit,
  DIGEST_COUNT,
  digestTexts,
  disclosure,
  disclosureDigest,
  leafText,
} from "./digests.ts";
import { leafHash } from "./merkle.ts";
import { seededRandom } from "./test-ledger.ts";

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

const claimLists = fc
  .array(fc.tuple(fc.string(), fc.json()), { minLength: 1, maxLength: DIGEST_COUNT })
  .map((pairs) => pairs.map(([name, json]) => ({ name, json })));

test("a row always has five sorted digests, and each claim opens one of them", () => {
  const random = seededRandom("digests");
  fc.assert(
    fc.property(fc.integer({ min: 1 }), claimLists, (id, claims) => {
      const { salts, digests, leafHash: leaf } = commit(id, "observation", claims, random);
      const texts = digestTexts(digests);
      expect(texts).toHaveLength(DIGEST_COUNT);
      expect(texts).toEqual(texts.toSorted());
      expect(new Set(texts).size).toBe(DIGEST_COUNT);
      for (const [index, claim] of claims.entries())
        expect(texts).toContain(claimDigest(salts, index, claim));
      expect(leaf).toEqual(leafHash(leafText(id, "observation", texts)));
    }),
  );
});

test("two rows with the same values share no digest", () => {
  const random = seededRandom("same");
  const claims = [{ name: "body", json: '{"city":"toronto"}' }];
  const first = digestTexts(commit(1, "city", claims, random).digests);
  const second = digestTexts(commit(2, "city", claims, random).digests);
  expect(first.filter((digest) => second.includes(digest))).toEqual([]);
});

test("the leaf is the canonical JSON of its members", () => {
  const digests = digestTexts(seededRandom("leaf")(160));
  const leaf = { v: 1, k: "observation", i: 42, _sd_alg: "sha-256", _sd: digests };
  expect(leafText(42, "observation", digests)).toBe(canonicalize(leaf));
});

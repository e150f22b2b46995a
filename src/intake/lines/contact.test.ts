import fc from "fast-check";
import { expect, test } from "vitest";
import { parseWebsite, phoneKey } from "./contact.ts";
import { LineFault } from "./fault.ts";

test.for([
  ["Example.ORG", "https://example.org", "example.org"],
  ["http://www.example.org/Shop/?a=1#b", "http://www.example.org/Shop", "example.org/shop"],
  ["https://user:secret@example.org:8443/x", "https://example.org:8443/x", "example.org/x"],
  ["https://bücher.example/", "https://xn--bcher-kva.example", "xn--bcher-kva.example"],
  ["facebook.com/joes", "https://facebook.com/joes", "facebook.com/joes"],
  ["tiktok.com/@joes", "https://tiktok.com/@joes", "tiktok.com/@joes"],
  ["https://linktr.ee/", "https://linktr.ee", undefined],
] as const)("%s", ([raw, url, matchKey]) => {
  expect(parseWebsite(raw)).toMatchObject({ url, matchKey });
});

test.for([
  "javascript:alert(1)",
  "ftp://example.org",
  "localhost",
  "a b",
  "https://",
  "mailto:a@example.org",
  "a@example.org",
  "n/a",
])("%s is no website", (raw) => expect(() => parseWebsite(raw)).toThrow(LineFault));

test("any text gives an http address without query or credentials, or a fault", () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.webUrl({ withQueryParameters: true, withFragments: true }),
        fc.string({ unit: "grapheme" }),
      ),
      (raw) => {
        try {
          const { protocol, username, search, hash } = new URL(parseWebsite(raw).url);
          expect([protocol.replace("s", ""), username, search, hash]).toEqual(["http:", "", "", ""]);
        } catch (error) {
          expect(error).toBeInstanceOf(LineFault);
        }
      },
    ),
  );
});

test.for([
  ["+1 (416) 555-0100", "4165550100"],
  ["416.555.0100 ext. 12", "4165550100"],
  ["+44 20 7946 0958", "2079460958"],
  ["020 7946 0958", "2079460958"],
] as const)("telephone %s", ([raw, key]) => expect(phoneKey(raw)).toBe(key));

test.for(["", "call us", "1234", "123456789012345678901"])("%s is no telephone", (raw) =>
  expect(() => phoneKey(raw)).toThrow(LineFault),
);

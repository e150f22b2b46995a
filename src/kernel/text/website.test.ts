import { expect, test } from "vitest";
import { readWebsite } from "./website.ts";

test.each([
  ["example.org", "example.org", "example.org"],
  ["HTTP://WWW.Example.ORG/Shop/?a=1#b", "example.org", "example.org"],
  ["m.example.org", "example.org", "example.org"],
  ["https://user:secret@example.org:8443/x", "example.org", "example.org"],
  ["bücher.example", "xn--bcher-kva.example", "xn--bcher-kva.example"],
  ["facebook.com", "facebook.com", "facebook.com"],
  ["https://m.facebook.com/Joes/", "facebook.com", "facebook.com/joes"],
  ["joes@example.org", undefined, undefined],
  ["javascript:alert(1)", undefined, undefined],
  ["localhost", undefined, undefined],
  ["", undefined, undefined],
])("%s is looked up by its host, on a shared host by its path too", (raw, host, lookUpKey) => {
  expect(readWebsite(raw)?.host).toBe(host);
  expect(readWebsite(raw)?.lookUpKey).toBe(lookUpKey);
});

test("what is looked up by is looked up by the same again", () => {
  for (const raw of ["www.Example.org/a", "https://M.Facebook.com/Joes", "bücher.example"]) {
    const key = readWebsite(raw)?.lookUpKey ?? "";
    expect(readWebsite(key)?.lookUpKey).toBe(key);
  }
});

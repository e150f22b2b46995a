import { expect, test } from "vitest";
import { securityTxt } from "./security-txt.ts";

const asOf = Date.parse("2026-06-30T12:00:00.500Z");

test("has what RFC 9116 requires, each once, and ends 180 days after the release", () => {
  expect(securityTxt("mailto:security@presence.test", { baseUrl: "https://presence.test", asOf })).toBe(
    `Contact: mailto:security@presence.test
Expires: 2026-12-27T12:00:00Z
Preferred-Languages: en
Canonical: https://presence.test/.well-known/security.txt
`,
  );
});

test("names no canonical address that the RFC would not admit", () => {
  expect(
    securityTxt("https://presence.test/report", { baseUrl: "http://127.0.0.1:4321", asOf }),
  ).not.toContain("Canonical");
});

import { expect, test } from "vitest";
import { configFrom } from "./config.ts";

test("a time-stamp authority needs an address that can be asked, and roots", () => {
  const url = "https://tsa.example/rfc3161";
  expect(configFrom({ TSA_URL: url, TSA_CA_FILE: "roots.pem" }).timestampAuthority).toEqual({
    url,
    caFile: "roots.pem",
  });
  expect(configFrom({ TSA_CA_FILE: "roots.pem", TSA_URL: "" }).timestampAuthority).toBeUndefined();
  expect(() => configFrom({ TSA_URL: url })).toThrow("TSA_CA_FILE: is not set, but TSA_URL is");
  expect(() => configFrom({ TSA_URL: "https://me:secret@tsa.example", TSA_CA_FILE: "roots.pem" })).toThrow(
    /^environment variable TSA_URL: must not hold a user name$/,
  );
  for (const bad of ["ftp://tsa.example", "tsa.example", "file:///etc/passwd"])
    expect(() => configFrom({ TSA_URL: bad, TSA_CA_FILE: "roots.pem" })).toThrow("TSA_URL");
});

test("a contact for security is an address that RFC 9116 admits, on one line", () => {
  for (const good of ["mailto:security@presence.example", "https://presence.example/report?a=b#c"])
    expect(configFrom({ SECURITY_CONTACT: good }).securityContact).toBe(good);
  expect(configFrom({ SECURITY_CONTACT: "" }).securityContact).toBeUndefined();
  for (const bad of [
    "security@presence.example",
    "http://presence.example/report",
    "javascript:alert(1)",
    "mailto:a@b.example\nExpires: never",
    "https://presence.example/a b",
  ])
    expect(() => configFrom({ SECURITY_CONTACT: bad })).toThrow("SECURITY_CONTACT");
});

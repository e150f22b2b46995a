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

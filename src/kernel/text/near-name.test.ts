import { expect, test } from "vitest";
import { didYouMean, nearestName } from "./near-name.ts";

const KNOWN = ["HOST", "PORT", "SMTP_URL", "STATE_URL", "MAX_CONNECTIONS_PER_CLIENT"];

test.each([
  ["SMPT_URL", "SMTP_URL"],
  ["SMTPURL", "SMTP_URL"],
  ["smtp-url", "SMTP_URL"],
  ["STATE_UR", "STATE_URL"],
  ["PROT", "PORT"],
  ["MAX_CONNECTION_PER_CLIENTS", "MAX_CONNECTIONS_PER_CLIENT"],
])("%s stands for %s", (typed, name) => {
  expect(nearestName(typed, KNOWN)).toBe(name);
  expect(didYouMean(typed, KNOWN)).toBe(`did you mean ${name}?`);
});

test.each(["HOME", "PATH", "TERM", "LANG", "PGPORT", "HOSTNAME", "", "X".repeat(100_000)])(
  "%.20s is near to none of them",
  (typed) => {
    expect(didYouMean(typed, KNOWN)).toBeUndefined();
  },
);

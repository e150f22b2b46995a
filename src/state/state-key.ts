/**
 * The master secret of the state, in a file that only its owner may read. What is derived from it is never stored: signing secrets of
 * webhooks, the links in mails, the keyed hashes of addresses. Without it every webhook needs a new secret and no link in a sent mail works.
 */

import { hkdfSync } from "node:crypto";
import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { z } from "zod";
import { createSecret, readSecret, SECRET_BYTES, secretText } from "../kernel/files/secret-file.ts";
import { hmacSha256 } from "../kernel/hash.ts";
import type { RandomBytes } from "../kernel/ids.ts";
import { mailboxOf } from "../kernel/text/mailbox.ts";

const PURPOSES = ["webhooks", "address", "manage", "unsubscribe", "never", "reports"] as const;
type Purpose = (typeof PURPOSES)[number];

export interface StateKeys {
  /** HKDF-SHA256 of the master secret, 32 bytes: one key per purpose. */
  readonly purposeKey: (purpose: Purpose) => Buffer;
  /** Shows whether two secrets are equal, and nothing more. */
  readonly check: string;
}

const KeyFile = z.strictObject({ secret: z.base64().length(44) });

/** Makes the file if it is missing. */
export function createStateKey(path: string, random: RandomBytes): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  createSecret(path, secretText({ secret: random(SECRET_BYTES).toString("base64") }));
}

/** Throws OperatorError when the file is missing, damaged, or readable by others. */
export function readStateKey(path: string): StateKeys {
  const master = Buffer.from(readSecret(path, KeyFile).secret, "base64");
  const derive = (purpose: string) =>
    Buffer.from(hkdfSync("sha256", master, "", `presence/state/${purpose}`, SECRET_BYTES));
  const keys = new Map(PURPOSES.map((purpose) => [purpose, derive(purpose)]));
  return {
    purposeKey: (purpose) => keys.get(purpose) ?? derive(purpose),
    check: derive("check").toString("hex", 0, 8),
  };
}

/** Identifies an address; letter case does not count. */
export function addressKey(keys: StateKeys, email: string): string {
  return hmacSha256(keys.purposeKey("address"), email.toLowerCase()).toString("hex");
}

/** The same for every address that reaches one mailbox: see mailbox.ts. For limits and suppression. */
export function mailboxKey(keys: StateKeys, email: string): string {
  return addressKey(keys, mailboxOf(email));
}

/**
 * The master secret of the state, in a file that only its owner (or the group of a shared folder) may read. What is derived from it is
 * never stored: signing secrets of webhooks, the links in emails, the keyed hashes of addresses. Without it every webhook needs a
 * new secret and no link in a sent email works.
 *
 * After a rotation the file keeps the previous secret, which still opens links and signs for webhooks. The key of addresses stays
 * the first one's for good: suppressed addresses are known by their hashes alone.
 */

import { hkdfSync } from "node:crypto";
import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { z } from "zod";
import {
  createSecret,
  isSharedFolder,
  readSecret,
  SECRET_BYTES,
  SECRET_MODE,
  SHARED_KEY_MODE,
  secretText,
} from "../kernel/files/secret-file.ts";
import { hmacSha256 } from "../kernel/hash.ts";
import type { Home } from "../kernel/home.ts";
import type { RandomBytes } from "../kernel/ids.ts";
import { mailboxOf } from "../kernel/text/contacts.ts";

const PURPOSES = ["webhooks", "address", "manage", "unsubscribe", "never", "reports", "removals"] as const;
type Purpose = (typeof PURPOSES)[number];

export interface StateKeys {
  /** HKDF-SHA256 of the master secret, 32 bytes: one key per purpose. */
  readonly purposeKey: (purpose: Purpose) => Buffer;
  /** The same of the secret before the last rotation, for what was issued with it; undefined before the first rotation. */
  readonly previousKey: (purpose: Purpose) => Buffer | undefined;
  /** Shows whether two secrets are equal, and nothing more. */
  readonly check: string;
  readonly previousCheck: string | undefined;
}

/** Where the key is, and who may read it. */
export type StateKeyPlace = Pick<Home, "stateKey">;

const Secret = z.base64().length(44);
const KeyFile = z.strictObject({
  secret: Secret,
  previous: Secret.optional(), // since the first rotation
  addresses: Secret.optional(), // the key of addresses, since the first rotation
});
type KeyFile = z.infer<typeof KeyFile>;

/** Makes the file if it is missing. */
export function createStateKey(place: StateKeyPlace, random: RandomBytes): void {
  mkdirSync(dirname(place.stateKey), { recursive: true, mode: 0o700 });
  const secret = random(SECRET_BYTES).toString("base64");
  createSecret(place.stateKey, secretText({ secret }), modeOf(place));
}

/** Throws OperatorError when the file is missing, damaged, or readable by others. */
export function readStateKey(place: StateKeyPlace): StateKeys {
  return stateKeys(readFile(place));
}

/** The text of the file after a rotation to a new secret, and the keys that it gives. */
export function rotatedKeyFile(
  place: StateKeyPlace,
  random: RandomBytes,
): { text: string; mode: number; keys: StateKeys } {
  const before = readFile(place);
  const after: KeyFile = {
    secret: random(SECRET_BYTES).toString("base64"),
    previous: before.secret,
    addresses: stateKeys(before).purposeKey("address").toString("base64"),
  };
  return { text: secretText(after), mode: modeOf(place), keys: stateKeys(after) };
}

function readFile(place: StateKeyPlace): KeyFile {
  return readSecret(place.stateKey, KeyFile, modeOf(place));
}

function modeOf({ stateKey }: StateKeyPlace): number {
  return isSharedFolder(dirname(stateKey)) ? SHARED_KEY_MODE : SECRET_MODE;
}

function stateKeys({ secret, previous, addresses }: KeyFile): StateKeys {
  const current = derived(secret);
  const before = previous === undefined ? undefined : derived(previous);
  const addressesKey = addresses === undefined ? current("address") : Buffer.from(addresses, "base64");
  return {
    purposeKey: (purpose) => (purpose === "address" ? addressesKey : current(purpose)),
    previousKey: (purpose) => before?.(purpose),
    check: checkOf(current),
    previousCheck: before && checkOf(before),
  };
}

/** One key per purpose, each derived once. */
function derived(secret: string): (purpose: Purpose | "check") => Buffer {
  const master = Buffer.from(secret, "base64");
  const derive = (purpose: string) =>
    Buffer.from(hkdfSync("sha256", master, "", `presence/state/${purpose}`, SECRET_BYTES));
  const keys = new Map<string, Buffer>(PURPOSES.map((purpose) => [purpose, derive(purpose)]));
  return (purpose) => keys.get(purpose) ?? derive(purpose);
}

function checkOf(derive: (purpose: "check") => Buffer): string {
  return derive("check").toString("hex", 0, 8);
}

/** Identifies an address; letter case does not count. */
export function addressKey(keys: StateKeys, email: string): string {
  return hmacSha256(keys.purposeKey("address"), email.toLowerCase()).toString("hex");
}

/** The same for every address that reaches one mailbox: see mailbox.ts. For limits and suppression. */
export function mailboxKey(keys: StateKeys, email: string): string {
  return addressKey(keys, mailboxOf(email));
}

import { hkdfSync } from "node:crypto";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import type { Environment } from "../../contract/enums.ts";
import { OperatorError } from "../../kernel/errors.ts";
import { moveReplacing, replaceFile } from "../../kernel/files/durable-file.ts";
import {
  createSecret,
  readSecret,
  SECRET_BYTES,
  SECRET_MODE,
  secretText,
} from "../../kernel/files/secret-file.ts";
import type { RandomBytes } from "../../kernel/ids.ts";
import { type KeyRing, manifestKeyName } from "./key-ring.ts";
import { type NoteSigner, parseSkey, type StoredSigner, signerFromSeed } from "./note.ts";

/**
 * The secrets of an environment, in files that only their owner may read: the key that signs tree heads, the key that signs the
 * manifests of releases, and the master secret of intake, from which every keyed hash has a key of its own. Losing the first or
 * the last ends the ledger: back them up. The key of manifests can be replaced at any time.
 */

export const PURPOSES = [
  "source_ref",
  "observer",
  "observer_tag",
  "contact",
  "opt_out",
  "public_id",
  "revisit",
] as const;
export type Purpose = (typeof PURPOSES)[number];

/** HKDF-SHA256 of the master secret, 32 bytes: one key per purpose, so that no two hashes can be compared. */
export type PurposeKey = (purpose: Purpose) => Buffer;

interface IntakeKey {
  readonly purposeKey: PurposeKey;
  readonly check: string; // tells that it is the same secret, and nothing about it
}

const SigningFile = z.strictObject({ skey: z.string(), vkey: z.string() });
const IntakeFile = z.strictObject({ secret: z.base64().length(44) });

export function signingKeyPath(keysDir: string, environment: Environment): string {
  return join(keysDir, `${environment}.signing.json`);
}

export function manifestKeyPath(keysDir: string, environment: Environment): string {
  return join(keysDir, `${environment}.manifest.json`);
}

export function intakeKeyPath(keysDir: string, environment: Environment): string {
  return join(keysDir, `${environment}.intake.json`);
}

/** Makes the key files that are missing; one that exists is never written over. */
export function createKeys(
  keysDir: string,
  environment: Environment,
  origin: string,
  random: RandomBytes,
): void {
  mkdirSync(keysDir, { recursive: true, mode: 0o700 });
  createSecret(signingKeyPath(keysDir, environment), signingFileText(newSigner(origin, random)));
  createSecret(
    intakeKeyPath(keysDir, environment),
    secretText({ secret: random(SECRET_BYTES).toString("base64") }),
  );
  createSecret(
    manifestKeyPath(keysDir, environment),
    signingFileText(newSigner(manifestKeyName(origin), random)),
  );
}

export function newSigner(name: string, random: RandomBytes): StoredSigner {
  return signerFromSeed(name, random(SECRET_BYTES));
}

export function signingFileText({ skey, vkey }: StoredSigner): string {
  return secretText({ skey, vkey });
}

/** Throws OperatorError when the file is missing, damaged, or readable by others. */
export function readSigner(path: string): StoredSigner {
  const { skey } = readSecret(path, SigningFile);
  try {
    return parseSkey(skey);
  } catch (cause) {
    throw new OperatorError(`${path}: not a signing key: restore the file from your backup`, { cause });
  }
}

/** Throws OperatorError as `readSigner` does. */
export function loadIntakeKey(keysDir: string, environment: Environment): IntakeKey {
  const { secret } = readSecret(intakeKeyPath(keysDir, environment), IntakeFile);
  const master = Buffer.from(secret, "base64");
  const derive = (purpose: string) =>
    Buffer.from(hkdfSync("sha256", master, "", `presence/${environment}/${purpose}`, SECRET_BYTES));
  const keys = new Map(PURPOSES.map((purpose) => [purpose, derive(purpose)]));
  return {
    purposeKey: (purpose) => keys.get(purpose) ?? derive(purpose),
    check: derive("check").toString("hex", 0, 8),
  };
}

/**
 * Where the private keys of a log are: the one place that another keeper of keys replaces. The keys of files are read for each
 * use, so that a rotation by another process is noticed.
 */

export interface SignerSource {
  /** The signer of tree heads: the newest key of the ring. Throws OperatorError when the signer of that key is not there. */
  checkpoint(ring: KeyRing): NoteSigner;
}

/** The key files of an environment, for the writer: it completes rotations. */
export function fileSigners(keysDir: string, environment: Environment): SignerSource {
  return { checkpoint: (ring) => settleKeyFile(signingKeyPath(keysDir, environment), ring.current) };
}

interface WantedKey {
  readonly name: string;
  readonly vkey: string;
}

export function nextFile(path: string): string {
  return `${path}.next`;
}

/** Stages a new key (see key-rotation.ts). */
export function stageKeyFile(path: string, signer: StoredSigner): void {
  replaceFile(nextFile(path), signingFileText(signer), SECRET_MODE);
}

/** The last step of a rotation: the staged key takes the place of the old one, which need not be there. */
export function promoteKeyFile(path: string): void {
  moveReplacing(nextFile(path), path);
}

/** The wanted key, wherever a rotation has left it; changes nothing. Throws OperatorError when neither file has it. */
export function loadKeyFile(path: string, { name, vkey }: WantedKey): StoredSigner {
  const signer = readSigner(path);
  if (signer.vkey === vkey) return signer;
  const staged = nextFile(path);
  const next = existsSync(staged) ? readSigner(staged) : undefined;
  if (next?.vkey === vkey) return next;
  throw new OperatorError(
    `${path}: not the key that signs for ${name} now: restore the newest copy of key and ledger from your backup`,
  );
}

/** `loadKeyFile`, and the last step of a rotation where that is still to be done. */
export function settleKeyFile(path: string, wanted: WantedKey): StoredSigner {
  const signer = loadKeyFile(path, wanted);
  if (readSigner(path).vkey !== signer.vkey) promoteKeyFile(path);
  return signer;
}

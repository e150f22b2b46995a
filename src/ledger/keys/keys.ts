import { hkdfSync } from "node:crypto";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import type Database from "better-sqlite3";
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
import { assertHoldsHead, type HeadGuard } from "../tree/checkpoints.ts";
import {
  endorsementText,
  insertSigningKey,
  type KeyRing,
  loadManifestKeys,
  type ManifestKey,
  manifestEndorsementText,
  manifestKeyName,
  putManifestKey,
} from "./key-ring.ts";
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
  "held_name",
  "public_id",
  "revisit",
  "inbox",
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

/**
 * A new key takes over in three steps: its file is written as `<name>.json.next`, the ledger takes its public part with the
 * endorsement, the file takes the old one's place. The second step decides: a `.next` that the ledger does not name is a left-over
 * that the next rotation replaces, one that is the ledger's newest key is the key in use. So a process may die anywhere.
 */

/** What a rotation needs of the writer. */
export interface RotationContext {
  readonly database: Database.Database;
  readonly guard: HeadGuard;
  readonly random: RandomBytes;
  transaction(work: () => void): void;
  now(): number; // ms
}

/**
 * Makes a key that signs every tree larger than the newest checkpoint. The old private key is gone then. The new key endorses the
 * key of manifests. A second rotation before the next seal leaves the key between them with no tree to sign.
 * Throws OperatorError when the ledger is not the one last signed.
 */
export function rotateSigner({ database, guard, random, transaction, now }: RotationContext): void {
  const { keysDir, environment, checkpoints } = guard;
  const path = signingKeyPath(keysDir, environment);
  // Also after a rotation of this process that failed half-way: the file written next may not be the only copy of a key.
  const old = settleKeyFile(path, checkpoints.keyRing().current);
  const next = newSigner(old.name, random);
  stageKeyFile(path, next);
  transaction(() => {
    assertHoldsHead(guard);
    const { keyId, vkey } = next;
    const fromSize = checkpoints.latest()?.size ?? 0;
    const endorsement = old.sign(endorsementText(old.name, { vkey, fromSize }));
    const createdAt = Math.max(now(), checkpoints.keyRing().all().at(-1)?.createdAt ?? 0);
    insertSigningKey(database, { keyId, vkey, fromSize, createdAt, endorsement });
    const manifestKey = loadManifestKeys(database).at(-1);
    if (manifestKey !== undefined) putManifestKey(database, endorsed(manifestKey, next));
  });
  settleKeyFile(path, checkpoints.keyRing().current);
}

/** Makes a new key of manifests, endorsed by the key of the log. The old private key is gone then. */
export function rotateManifestSigner(
  { database, guard, random, transaction, now }: RotationContext,
  endorser: NoteSigner,
): void {
  const path = manifestKeyPath(guard.keysDir, guard.environment);
  const name = manifestKeyName(endorser.name);
  const settle = () => {
    const inUse = loadManifestKeys(database).at(-1);
    if (inUse !== undefined) settleKeyFile(path, { name, vkey: inUse.vkey });
  };
  unlessLost(settle);
  const next = newSigner(name, random);
  stageKeyFile(path, next);
  transaction(() => {
    const earlier = loadManifestKeys(database).at(-1)?.createdAt ?? 0;
    putManifestKey(database, endorsed({ ...next, createdAt: Math.max(now(), earlier) }, endorser));
  });
  promoteKeyFile(path);
}

/** A key of manifests that is lost is replaced all the same; nothing depends on it but the next release. */
function unlessLost(settle: () => void): void {
  try {
    settle();
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
  }
}

/** A key of manifests as the ledger stores it, with the word of a key of the log. */
export function endorsed(
  { keyId, vkey, createdAt }: Omit<ManifestKey, "endorsement">,
  endorser: NoteSigner,
): ManifestKey {
  const endorsement = endorser.sign(manifestEndorsementText(endorser.name, { vkey, createdAt }));
  return { keyId, vkey, createdAt, endorsement };
}

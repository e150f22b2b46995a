/**
 * A new key takes over in three steps: its file is written as `<name>.json.next`, the ledger takes its public part with the
 * endorsement, the file takes the old one's place. The second step decides: a `.next` that the ledger does not name is a left-over
 * that the next rotation replaces, one that is the ledger's newest key is the key in use. So a process may die anywhere.
 */
import type Database from "better-sqlite3";
import { OperatorError } from "../kernel/errors.ts";
import type { RandomBytes } from "../kernel/ids.ts";
import { assertHoldsHead, type HeadGuard } from "./fork-guard.ts";
import {
  endorsementText,
  type ManifestKey,
  manifestEndorsementText,
  manifestKeyName,
} from "./keys/key-ring.ts";
import { insertSigningKey, loadManifestKeys, putManifestKey } from "./keys/key-tables.ts";
import {
  manifestKeyPath,
  newSigner,
  promoteKeyFile,
  settleKeyFile,
  signingKeyPath,
  stageKeyFile,
} from "./keys/keys.ts";
import type { NoteSigner } from "./keys/note.ts";

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

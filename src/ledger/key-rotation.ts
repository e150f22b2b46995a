/**
 * A new signing key takes over in three steps: its file is written as `<environment>.signing.json.next`, the ledger takes its
 * public part with the old key's endorsement, the file takes the old one's place. The second step decides: a `.next` that the ledger
 * does not name is a left-over that the next rotation replaces, one that is the ledger's newest key is the signing key. So a
 * process may die anywhere.
 */
import { existsSync } from "node:fs";
import type Database from "better-sqlite3";
import type { Environment } from "../contract/enums.ts";
import { OperatorError } from "../kernel/errors.ts";
import { moveReplacing, replaceFile } from "../kernel/files/durable-file.ts";
import { SECRET_MODE } from "../kernel/files/secret-file.ts";
import type { RandomBytes } from "../kernel/ids.ts";
import { assertHoldsHead, type HeadGuard } from "./fork-guard.ts";
import { endorsementText, type KeyRing } from "./keys/key-ring.ts";
import { newSigner, readSigner, signingFileText, signingKeyPath } from "./keys/keys.ts";
import type { NoteSigner } from "./keys/note.ts";
import { insertSigningKey } from "./keys/signing-keys.ts";

export function nextKeyPath(keysDir: string, environment: Environment): string {
  return `${signingKeyPath(keysDir, environment)}.next`;
}

/** The ledger's newest key, wherever a rotation has left it; changes nothing. Throws OperatorError when neither file has it. */
export function loadSigner(keysDir: string, environment: Environment, { current }: KeyRing): NoteSigner {
  const path = signingKeyPath(keysDir, environment);
  const signer = readSigner(path);
  if (signer.vkey === current.vkey) return signer;
  const staged = nextKeyPath(keysDir, environment);
  const next = existsSync(staged) ? readSigner(staged) : undefined;
  if (next?.vkey === current.vkey) return next;
  throw new OperatorError(
    `${path}: not the key that signs for ${current.name} now: restore the newest copy of key and ledger from your backup`,
  );
}

/** `loadSigner`, and the last step of a rotation where that is still to be done. For the writer only. */
export function settleSigner(keysDir: string, environment: Environment, ring: KeyRing): NoteSigner {
  const signer = loadSigner(keysDir, environment, ring);
  const path = signingKeyPath(keysDir, environment);
  if (readSigner(path).vkey !== signer.vkey) moveReplacing(nextKeyPath(keysDir, environment), path);
  return signer;
}

/** What a rotation needs of the writer. */
export interface RotationContext {
  readonly database: Database.Database;
  readonly guard: HeadGuard;
  readonly random: RandomBytes;
  transaction(work: () => void): void;
  now(): number; // ms
}

/**
 * Makes a key that signs every tree larger than the newest checkpoint. The old private key is gone then.
 * A second rotation before the next seal leaves the key between them with no tree to sign.
 * Throws OperatorError when the ledger is not the one last signed.
 */
export function rotateSigner({ database, guard, random, transaction, now }: RotationContext): void {
  const { keysDir, environment, checkpoints } = guard;
  // Also after a rotation of this process that failed half-way: the file written next may not be the only copy of a key.
  const old = settleSigner(keysDir, environment, checkpoints.keyRing());
  const next = newSigner(old.name, random);
  replaceFile(nextKeyPath(keysDir, environment), signingFileText(next), SECRET_MODE);
  transaction(() => {
    assertHoldsHead(guard);
    const { keyId, vkey } = next;
    const fromSize = checkpoints.latest()?.size ?? 0;
    const endorsement = old.sign(endorsementText(old.name, { vkey, fromSize }));
    const createdAt = Math.max(now(), checkpoints.keyRing().all().at(-1)?.createdAt ?? 0);
    insertSigningKey(database, { keyId, vkey, fromSize, createdAt, endorsement });
  });
  settleSigner(keysDir, environment, checkpoints.keyRing());
}

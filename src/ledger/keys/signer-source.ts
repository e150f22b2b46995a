/**
 * Where the private keys of a log are: the one place that another keeper of keys replaces. The keys of files are read for each
 * use, so that a rotation by another process is noticed.
 */
import { existsSync } from "node:fs";
import type { Environment } from "../../contract/enums.ts";
import { OperatorError } from "../../kernel/errors.ts";
import { moveReplacing, replaceFile } from "../../kernel/files/durable-file.ts";
import { SECRET_MODE } from "../../kernel/files/secret-file.ts";
import type { KeyRing } from "./key-ring.ts";
import { readSigner, signingFileText, signingKeyPath } from "./keys.ts";
import type { NoteSigner, StoredSigner } from "./note.ts";

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

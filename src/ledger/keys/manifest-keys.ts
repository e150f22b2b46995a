/**
 * The keys that sign the manifests of releases, one after the other. The newest signs, and is endorsed by the key that signs tree
 * heads: whoever pins that key needs to know no other.
 */
import type { ManifestKeySpan } from "../../contract/ledger/ledger.ts";
import { isoTime } from "../../kernel/time.ts";
import { FormatError } from "../../proof/tlog/bytes.ts";
import { manifestKeyName } from "./keys.ts";
import { type NoteVerifier, openNote, parseVkey } from "./note.ts";

/** A key as the ledger stores it. */
export interface ManifestKey {
  readonly keyId: string; // 8 hex digits
  readonly vkey: string;
  readonly createdAt: number; // ms
  readonly endorsement: string; // signed note by a key of the log
}

/** What a key of the log signs to endorse a key of manifests. */
export function manifestEndorsementText(
  origin: string,
  { vkey, createdAt }: Pick<ManifestKey, "vkey" | "createdAt">,
): string {
  return `${origin}/manifest-keys\n${vkey}\n${isoTime(createdAt)}\n`;
}

/** The content of `manifest_keys` in `keys.json`, the oldest first. */
export function manifestKeySpans(keys: readonly ManifestKey[]): ManifestKeySpan[] {
  return keys.map(({ keyId, vkey, createdAt, endorsement }, at) => {
    const next = keys[at + 1];
    return {
      key_id: keyId,
      vkey,
      created_at: isoTime(createdAt),
      retired_at: next === undefined ? null : isoTime(next.createdAt),
      endorsement,
    };
  });
}

/**
 * The key that signs manifests now; undefined for a release of before such keys. `endorsers` are the keys of the log whose word
 * counts. Throws FormatError when none of them endorses it.
 */
export function manifestVerifier(
  origin: string,
  published: readonly ManifestKeySpan[],
  endorsers: readonly NoteVerifier[],
): NoteVerifier | undefined {
  const newest = published.at(-1);
  if (newest === undefined) return undefined;
  const verifier = parseVkey(newest.vkey);
  if (verifier.name !== manifestKeyName(origin) || verifier.keyId !== newest.key_id)
    throw new FormatError(`manifest key ${newest.key_id}: it signs for ${verifier.name}`);
  const text = manifestEndorsementText(origin, {
    vkey: newest.vkey,
    createdAt: Date.parse(newest.created_at),
  });
  if (!endorsers.some((endorser) => opens(newest.endorsement, endorser, text)))
    throw new FormatError(`manifest key ${newest.key_id}: no key of the log that may do so endorses it`);
  return verifier;
}

function opens(note: string, verifier: NoteVerifier, text: string): boolean {
  try {
    return openNote(note, verifier) === text;
  } catch (error) {
    if (error instanceof FormatError) return false;
    throw error;
  }
}

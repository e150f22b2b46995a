import { fromBase64, toBase64 } from "./bytes.ts";
import { FormatError } from "./format-error.ts";
import { HASH_BYTES } from "./tile.ts";

/** An inclusion proof with its checkpoint in one text (C2SP tlog-proof). */
export interface TlogProof {
  readonly index: number; // of the leaf, from 0
  readonly path: readonly Uint8Array[]; // the leaf's sibling first
  readonly checkpoint: string; // signed note
}

const HEADER = "c2sp.org/tlog-proof@v1";
const MAX_PATH = 63;

export function formatTlogProof({ index, path, checkpoint }: TlogProof): string {
  return [HEADER, `index ${index}`, ...path.map(toBase64), "", checkpoint].join("\n");
}

/** An `extra` line may come before the index and is not read. Throws FormatError. */
export function parseTlogProof(text: string): TlogProof {
  const split = text.indexOf("\n\n");
  const [header, ...lines] = text.slice(0, Math.max(split, 0)).split("\n");
  if (header !== HEADER) throw new FormatError(`not a proof: the first line must be ${HEADER}`);
  if (lines[0]?.startsWith("extra ")) lines.shift();
  const [indexLine = "", ...encoded] = lines;
  const [, digits] = /^index (0|[1-9][0-9]{0,15})$/.exec(indexLine) ?? [];
  if (digits === undefined || encoded.length > MAX_PATH)
    throw new FormatError("not a proof: expected an index and at most 63 hashes");
  return { index: Number(digits), path: encoded.map(parseHash), checkpoint: text.slice(split + 2) };
}

function parseHash(encoded: string): Uint8Array {
  const hash = fromBase64(encoded);
  if (hash?.length !== HASH_BYTES) throw new FormatError("a line of the proof is not a hash");
  return hash;
}

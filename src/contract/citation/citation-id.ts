import { z } from "zod";
import { sha256 } from "../../kernel/hash.ts";
import { base32 } from "../../kernel/ids.ts";
import { SentenceVersion } from "./sentences.ts";

/**
 * Identifier of a citation: `<public id>.<row>.<tree size>.<as-of day>.<sentence version>.<check>`, for example
 * `demo_abc.1234.16690.2026-11-20.v1.4g7t0mxw`. The wording follows from these parts and the public ledger rows.
 */
export interface CitationParts {
  readonly publicId: string;
  readonly row: number; // newest accepted observation; 0 when the record has none
  readonly treeSize: number;
  readonly asOfDate: string; // YYYY-MM-DD, UTC
  readonly version: SentenceVersion;
  readonly check: string; // see `citationCheck`
}

const MAX_CITATION_ID = 160;

const COUNT = String.raw`[1-9]\d{0,14}`;
const ID = new RegExp(
  String.raw`^([A-Za-z0-9_-]{1,80})\.(0|${COUNT})\.(${COUNT})\.(\d{4}-\d{2}-\d{2})\.(v\d{1,3})\.([0-9a-z]{8})$`,
);

export function citationId({ publicId, row, treeSize, asOfDate, version, check }: CitationParts): string {
  return [publicId, row, treeSize, asOfDate, version, check].join(".");
}

/** Parses an id. Returns undefined for any text that `citationId` would not have produced exactly. */
export function parseCitationId(text: string): CitationParts | undefined {
  if (text.length > MAX_CITATION_ID) return undefined;
  const [, publicId = "", row, treeSize, asOfDate, version, check = ""] = ID.exec(text) ?? [];
  const day = z.iso.date().safeParse(asOfDate);
  const known = SentenceVersion.safeParse(version);
  if (!day.success || !known.success) return undefined;
  return {
    publicId,
    row: Number(row),
    treeSize: Number(treeSize),
    asOfDate: day.data,
    version: known.data,
    check,
  };
}

/** 40 bits of the SHA-256 of the wording, so an id never resolves to a different wording. */
export function citationCheck(sentence: string): string {
  return base32(sha256(sentence).subarray(0, 5));
}

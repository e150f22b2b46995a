import type Database from "better-sqlite3";
import { BODY_NAME, digestTexts, disclosure, leafText, SALT_BYTES } from "./digests.ts";
import { RedactionBody } from "./rows.ts";
import { storedRows } from "./stored-rows.ts";

/** What the world may have of a row: its leaf, and once it is published the disclosure of its body. */
export interface PublicRow {
  readonly id: number;
  readonly entry: Buffer; // the leaf's text
  readonly leafHash: Buffer;
  readonly disclosure: string | undefined; // undefined while no seal covers the row, and for good once it is redacted
}

/** These are disclosed as soon as a tree holds them: without them nobody could tell what a range or a gap is. */
const DISCLOSED_AT_ONCE: ReadonlySet<string> = new Set(["seal", "redaction", "opt_out"]);

/** Whether the body of a live row must be published in a tree whose seals cover the rows up to `sealed`. */
export function isDisclosed(row: number, kind: string, sealed: number): boolean {
  return row <= sealed || DISCLOSED_AT_ONCE.has(kind);
}

/** The rows after `after` up to `upTo`, each checked (see `storedRows`). */
export function* publicRows(
  database: Database.Database,
  range: { readonly after: number; readonly upTo: number; readonly sealed: number },
): Generator<PublicRow> {
  for (const [id, kind, , digests, leafHash, salts, body] of storedRows(database, range.after, range.upTo)) {
    const isOpen = salts !== null && body !== null && isDisclosed(id, kind, range.sealed);
    yield {
      id,
      entry: Buffer.from(leafText(id, kind, digestTexts(digests))),
      leafHash,
      disclosure: isOpen ? bodyDisclosure(salts, body) : undefined,
    };
  }
}

/** Rows that were redacted by rows after `after`. */
export function rowsRedactedAfter(database: Database.Database, after: number): number[] {
  return database
    .prepare<[number], string>(
      "SELECT body FROM rows JOIN openings ON row = id WHERE kind IN ('redaction', 'opt_out') AND id > ?",
    )
    .pluck()
    .all(after)
    .flatMap((body) => RedactionBody.parse(JSON.parse(body)).rows);
}

function bodyDisclosure(salts: Buffer, json: string): string {
  return disclosure(salts.toString("base64url", 0, SALT_BYTES), { name: BODY_NAME, json });
}

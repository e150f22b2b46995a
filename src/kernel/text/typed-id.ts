/**
 * What is printed can be typed: each form in which a message, a list or a page shows a row, a batch, a line or a public id, as the one form that
 * commands work with.
 */

const ROW = /^(?:(?:ledger )?row[ :#=-]*)?(\d{1,3}(?:,\d{3})+|\d{1,15})$/i;
const BATCH = /^(?:batch[ :=-]*)?(b\d{1,15})$/i;
const LINE = /^(?:line )?(b\d{1,15}):(\d{1,15})$/i;
const WORDED_LINE = /^line (\d{1,15}) of (?:batch )?(b\d{1,15})$/i;
/** Pages, documents and proofs, with or without the address of the service. */
const OF_RECORD =
  /^(?:https?:\/\/[^/?#\s]+)?\/(?:record|api\/v1\/(?:entity|presence-score|observations|citation))\/([a-z]+_\w+)(?:[/?#]\S*)?$/;
const OF_ROW = /^(?:https?:\/\/[^/?#\s]+)?\/(?:ledger\/proof\/|verify\/?\?row=)(\d{1,15})\S*$/;

/** `3503` for row 3503, `b12` for a batch, `b12:345` for a line, `rec_…` for a record; any other text as it is, without the spaces around it. */
export function typedId(text: string): string {
  const typed = text.trim();
  const row = (ROW.exec(typed) ?? OF_ROW.exec(typed))?.[1];
  if (row !== undefined) return row.replaceAll(",", "");
  const batch = BATCH.exec(typed)?.[1];
  if (batch !== undefined) return batch.toLowerCase();
  const [, inBatch, line] = LINE.exec(typed) ?? [];
  if (inBatch !== undefined) return `${inBatch.toLowerCase()}:${line}`;
  const [, number, ofBatch] = WORDED_LINE.exec(typed) ?? [];
  if (ofBatch !== undefined) return `${ofBatch.toLowerCase()}:${number}`;
  return OF_RECORD.exec(typed)?.[1] ?? typed;
}

/** What a text that `typedId` made names; undefined for a name. */
export type TypedId =
  | { readonly kind: "row"; readonly row: number }
  | { readonly kind: "batch"; readonly batch: string }
  | { readonly kind: "line"; readonly batch: string; readonly line: number }
  | { readonly kind: "public_id"; readonly publicId: string };

/** An item of the review that names a row (`match-4711`) stands for that row. */
export function readTypedId(text: string): TypedId | undefined {
  const id = typedId(text);
  const row = /^(?:(?:match|industry|integrity|retire|set-aside)-)?(\d{1,15})$/.exec(id)?.[1];
  if (row !== undefined) return { kind: "row", row: Number(row) };
  const [, batch, line] = /^(b\d+)(?::(\d+))?$/.exec(id) ?? [];
  if (batch !== undefined)
    return line === undefined ? { kind: "batch", batch } : { kind: "line", batch, line: Number(line) };
  return /^[a-z]+_\w+$/.test(id) ? { kind: "public_id", publicId: id } : undefined;
}

/** The words of a row that were typed as two (`row 3503`) as one. */
export function joinTypedRows(words: readonly string[]): string[] {
  const joined: string[] = [];
  for (const word of words) {
    const last = joined.at(-1);
    if (last === "row" && /^[\d,]+$/.test(word)) joined.splice(-1, 1, `row ${word}`);
    else joined.push(word);
  }
  return joined;
}

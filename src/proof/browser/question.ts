/** What a reader asks: which row, listed under which record, and by which key. */
export interface Question {
  readonly row: number;
  readonly record: string; // public id; "" when none is named
  readonly knownKey: string; // a verification key known from elsewhere; "" for none
}

/** Where the links of observations lead, and what the address says again while the page is open. */
export function verifyAddress(row: number | string, record: string): string {
  const address = `/verify/?row=${row}`;
  return record === "" ? address : `${address}&record=${record}`;
}

const ROW = /^[1-9][0-9]{0,14}$/;
const RECORD = /^[A-Za-z0-9_-]{0,80}$/; // one segment of an address, so that no other file is read

/** The question in three texts, or what is wrong with them, as a sentence. */
export function readQuestion(row: string, record: string, knownKey: string): Question | string {
  const texts = { row: row.trim(), record: record.trim(), knownKey: knownKey.trim() };
  if (!ROW.test(texts.row)) return "The ledger row must be a whole number, starting at 1.";
  if (!RECORD.test(texts.record)) return "The record id must contain only letters, digits, - and _.";
  return { row: Number(texts.row), record: texts.record, knownKey: texts.knownKey };
}

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

/** What is checked about a row, in this order: each step takes only what the ones before it have proved. */
export const STEPS = [
  {
    name: "key",
    title: "Key",
    checks:
      "The public key's id is the hash of its name and bytes. If you entered a key, it is the same key.",
  },
  {
    name: "checkpoint",
    title: "Signed tree head",
    checks: "The key signed the tree's number of rows and root hash.",
  },
  {
    name: "leaf",
    title: "Leaf",
    checks: "The row's entry has the row's number, and its hash is in the tree's lowest tiles.",
  },
  {
    name: "path",
    title: "Inclusion in the tree",
    checks: "The leaf hash and its siblings hash to the signed root.",
  },
  {
    name: "disclosure",
    title: "Disclosure",
    checks: "The leaf commits to the published text of the row.",
  },
  {
    name: "published",
    title: "Published observation",
    checks: "The record's list of observations matches the row.",
  },
  {
    name: "related",
    title: "Record, asset and changes",
    checks:
      "The rows of the record and the asset, and the rows that the list names as changes, are in the tree and lead to what the list shows.",
  },
] as const;

export type StepName = (typeof STEPS)[number]["name"];

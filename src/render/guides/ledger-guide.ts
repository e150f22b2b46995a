/** Guide to the published ledger files. Text between backticks is code. */

export interface LedgerFile {
  readonly address: string; // below /ledger/; parts between < and > vary
  readonly title: string;
  readonly text: string;
}

export const LEDGER_FILES: readonly LedgerFile[] = [
  {
    address: "checkpoint",
    title: "Newest signed tree head",
    text: "Number of rows, the root hash over all of them, and our signature. Keep a copy: with it you can later prove that nothing was removed or changed (C2SP tlog-checkpoint).",
  },
  {
    address: "checkpoints/<size>",
    title: "All signed tree heads",
    text: "Every tree head ever signed. They never change and are never removed.",
  },
  {
    address: "vkey",
    title: "Key",
    text: "The public key for the newest tree head, on one line.",
  },
  {
    address: "keys.json",
    title: "All keys",
    text: "Every key that ever signed, with the tree sizes it covers and the endorsement by the previous key.",
  },
  {
    address: "tile/<level>/<number>",
    title: "Hashes of the tree",
    text: "The whole tree in files of 256 hashes (C2SP tlog-tiles), so that anyone can compute the root.",
  },
  {
    address: "tile/entries/<number>",
    title: "Leaves",
    text: "The tree's entry for each row: number, kind and five salted digests. A leaf alone reveals nothing.",
  },
  {
    address: "disclosures/<number>.ndjson",
    title: "Disclosed rows",
    text: "Contents of the rows, with the salts that the leaves commit to (RFC 9901). Erased rows are omitted.",
  },
  {
    address: "proof/<row>",
    title: "Inclusion proof of a row",
    text: "The hashes from a row's leaf to a signed tree head, and that head (C2SP tlog-proof). The server builds it from the tiles, so you need not trust the server.",
  },
  {
    address: "timestamps/<size>.tsr",
    title: "Timestamps",
    text: "Timestamps of an independent authority over signed tree heads (RFC 3161), if the operator has configured one.",
  },
  {
    address: "redactions.json",
    title: "Counts of erased rows",
    text: "Number of erased rows by month, and of the reasons where at least three decisions share one. It never identifies the rows or their contents.",
  },
  {
    address: "online-checks.ndjson",
    title: "Online checks",
    text: "Results of web presence checks. They are not part of the ledger and never affect a score.",
  },
];

/** What signatures and timestamps prove, and what they do not. */
export const PROVES: readonly string[] = [
  "A signature shows that the holder of our key vouched for exactly these rows, in this order, at that size.",
  "An inclusion proof shows that one row, as disclosed, is among them.",
  "Two tree heads show that the later tree extends the earlier one unchanged. For that, you need your own copy of an earlier head.",
  "A timestamp shows that a tree head, and every row in its tree, existed at that time, as attested by an independent authority.",
];

export const PROVES_NOT: readonly string[] = [
  "That a row's content is true, or who observed it.",
  "That no observation was omitted before it became a row.",
  "Whose key it is: a key from this site shows only that the site is consistent with itself. Compare it with a key that you noted earlier or got from someone else.",
  "That every visitor sees the same ledger. To check that, compare tree heads with others, or use independent timestamps.",
  "When a row was added. A timestamp gives the latest possible time.",
];

/** What of the ledger is published, for people. Text between backticks is code. */

export interface LedgerFile {
  readonly address: string; // below /ledger/; what stands between < and > differs
  readonly title: string;
  readonly text: string;
}

export const LEDGER_FILES: readonly LedgerFile[] = [
  {
    address: "checkpoint",
    title: "Newest signed head",
    text: "How many rows the ledger has, the root hash over all of them, and our signature. Keep a copy: with it you can prove later that nothing was taken out or changed (C2SP tlog-checkpoint).",
  },
  {
    address: "checkpoints/<size>",
    title: "Every signed head",
    text: "All heads that were ever signed. None of them changes or goes.",
  },
  {
    address: "vkey",
    title: "Key",
    text: "The public key that checks the newest head, on one line.",
  },
  {
    address: "keys.json",
    title: "All keys",
    text: "Every key that ever signed, from which size to which, each endorsed by the one before.",
  },
  {
    address: "tile/<level>/<number>",
    title: "Hashes of the tree",
    text: "The whole tree in files of 256 hashes (C2SP tlog-tiles), so that anyone can compute the root.",
  },
  {
    address: "tile/entries/<number>",
    title: "Leaves",
    text: "What the tree holds of each row: its number, its kind, and five salted digests. A leaf tells nothing by itself.",
  },
  {
    address: "disclosures/<number>.ndjson",
    title: "Texts of the rows",
    text: "What the rows say, each with the salt that its leaf committed to (RFC 9901). An erased row has none.",
  },
  {
    address: "proof/<row>",
    title: "Proof of a row",
    text: "The hashes that lead from a row to a signed head, and that head (C2SP tlog-proof). Made by the server from the tiles, so it needs no trust.",
  },
  {
    address: "timestamps/<size>.tsr",
    title: "Time stamps",
    text: "Answers of an independent time-stamp authority over signed heads (RFC 3161), where one is set up.",
  },
  {
    address: "redactions.json",
    title: "Erased rows, counted",
    text: "How many rows were erased, in which month and why. Never which, and never what they said.",
  },
  {
    address: "online-checks.ndjson",
    title: "Online checks",
    text: "Whether a web presence was found for a record. These lie beside the ledger: no rows of it, and no part of any score.",
  },
];

/** What a reader may conclude from the signatures and stamps, and what not. */
export const PROVES: readonly string[] = [
  "A signature shows that whoever holds our key vouched for exactly these rows, in this order, at that size.",
  "A proof shows that one row, as it is disclosed, is among them.",
  "Two heads show that the later one holds the earlier one unchanged, with rows added at its end. You need an earlier head of your own for that.",
  "A time stamp shows that a head, and every row below its size, existed at that time, by the word of an authority that is not us.",
];

export const PROVES_NOT: readonly string[] = [
  "That what a row says is true, or who observed it.",
  "That no observation was left out before it became a row.",
  "Whose the key is: a key fetched from this site shows that the site agrees with itself. Compare it with one you noted earlier or have from somebody else.",
  "That every visitor is shown the same ledger. Comparing heads with others, and stamps by others, show that.",
  "When a row came in. A stamp gives the latest time it can have been.",
];

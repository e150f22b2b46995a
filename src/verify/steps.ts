/** What is checked about a row, in this order: each step takes only what the ones before it have proved. */
export const STEPS = [
  {
    name: "key",
    title: "Key",
    checks: "The public key's id is the hash of its name and bytes; it is the key you gave, if you gave one.",
  },
  {
    name: "checkpoint",
    title: "Signed tree head",
    checks: "The key signed the number of rows and the root hash of the tree.",
  },
  {
    name: "leaf",
    title: "Leaf",
    checks: "The row's entry bears the row's number, and its hash is the one in the tree's lowest tiles.",
  },
  {
    name: "path",
    title: "Path to the root",
    checks: "The leaf's hash and its siblings, hashed upwards, give the signed root.",
  },
  {
    name: "disclosure",
    title: "Disclosure",
    checks: "The text published for the row is one that the leaf committed to.",
  },
  {
    name: "published",
    title: "Published observation",
    checks: "The record's list of observations says of the row what the row itself says.",
  },
] as const;

export type StepName = (typeof STEPS)[number]["name"];

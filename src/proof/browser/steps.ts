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

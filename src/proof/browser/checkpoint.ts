import { toHex } from "../tlog/bytes.ts";
import {
  type NoteKey,
  type NoteSignature,
  parseNote,
  parseTreeHead,
  signaturesBy,
  type TreeHead,
} from "../tlog/note.ts";
import { importKey, type Subtle } from "./hashes.ts";
import { type Fact, type Passed, Stop, shortened } from "./outcome.ts";
import type { SiteReader } from "./site-reader.ts";

const ADDRESS = "/ledger/checkpoint";

/** Size and root are read from the text only after its signature was found right. */
export async function checkCheckpoint(
  key: NoteKey,
  reader: SiteReader,
  subtle: Subtle,
): Promise<Passed<TreeHead>> {
  const note = parseNote(await reader.readText(ADDRESS));
  const signatures = signaturesBy(note, key);
  const signer = `${key.name}+${key.keyId}`;
  const facts: Fact[] = [
    { name: "Signed text", value: note.text },
    ...signatures.map(({ signature }) => ({ name: `Signature by ${signer}`, value: toHex(signature) })),
  ];
  if (signatures.length === 0)
    throw new Stop("failed", `The tree head has no signature by the key ${signer}.`, facts);
  if (!(await areAllRight(signatures, note.text, key, subtle)))
    throw new Stop("failed", `The signature by ${signer} does not match this tree head.`, facts);
  const head = parseTreeHead(note.text);
  if (head.origin !== key.name)
    throw new Stop("failed", `The key of ${key.name} signed a tree head of ${head.origin}.`, facts);
  const root = toHex(head.root);
  return {
    says: `${key.name} signed a tree of ${head.size} rows with the root ${shortened(root)}.`,
    facts: [
      ...facts,
      { name: "Rows in the tree", value: String(head.size) },
      { name: "Root hash", value: root },
    ],
    found: head,
  };
}

async function areAllRight(
  signatures: readonly NoteSignature[],
  text: string,
  key: NoteKey,
  subtle: Subtle,
): Promise<boolean> {
  const imported = await importKey(subtle, key.key);
  const bytes = new TextEncoder().encode(text);
  const answers = signatures.map(({ signature }) => subtle.verify("Ed25519", imported, signature, bytes));
  return (await Promise.all(answers)).every(Boolean);
}

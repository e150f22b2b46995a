/** The steps that prove one row by the tree: key, signed tree head, leaf, inclusion, disclosure. Their rules are those of `tlog`. */
import { equalBytes, toBase64url, toHex } from "../tlog/bytes.ts";
import {
  bodyOfRow,
  disclosureOfRow,
  disclosureText,
  entryOfRow,
  isObject,
  type JsonObject,
  type Leaf,
  leafOfRow,
} from "../tlog/leaf.ts";
import {
  assertEd25519,
  keyIdInput,
  keyIdOf,
  type NoteKey,
  parseNote,
  parseNoteKey,
  signaturesBy,
  signedText,
  signedTreeHead,
  type TreeHead,
} from "../tlog/note.ts";
import {
  bundleOf,
  bundleWidth,
  disclosuresPath,
  entriesPath,
  type NodeHash,
  rootOfInclusion,
  TILE_WIDTH,
} from "../tlog/proof.ts";
import type { TileTree } from "../tlog/tile-tree.ts";
import { type Fact, type Passed, Stop, shortened, withFacts } from "./outcome.ts";
import {
  isRightSignature,
  leafHash,
  missing,
  parseObject,
  type SiteReader,
  type Subtle,
  sha256,
  shown,
  utf8,
} from "./site-reader.ts";

const KEY = "/ledger/vkey";
const CHECKPOINT = "/ledger/checkpoint";
const STATUS = "/api/v1/status.json";

/** Reads the site's key. `known` is what the reader got as the service's key elsewhere; "" for nothing. */
export async function checkKey(known: string, reader: SiteReader, subtle: Subtle): Promise<Passed<NoteKey>> {
  if (known !== "") assertKey(known);
  const vkey = (await reader.readText(KEY)).replace(/\n$/, "");
  const key = parseNoteKey(vkey);
  const hash = await sha256(subtle, keyIdInput(key));
  const facts: Fact[] = [
    { name: "Key name", value: key.name },
    { name: "Key id as published", value: key.keyId },
    { name: "Key id recomputed", value: keyIdOf(hash) },
    { name: "Whole key", value: vkey },
    ...(known === "" ? [] : [{ name: "Key that you entered", value: known }]),
  ];
  withFacts(facts, () => assertEd25519(key, hash));
  if (known !== "" && known !== vkey)
    throw new Stop(
      "failed",
      "The site's key differs from the one that you entered. If the service has changed its key, /ledger/keys.json lists the earlier ones.",
      facts,
    );
  return { says: sayWhose(key, known !== ""), facts, found: key };
}

function sayWhose({ name, keyId }: NoteKey, isKnown: boolean): string {
  const which = `${name}, id ${keyId}, recomputed from the key itself.`;
  return isKnown ? `${which} It is the key that you entered.` : `${which} It comes from this site.`;
}

function assertKey(text: string): void {
  try {
    parseNoteKey(text);
  } catch {
    throw new Stop(
      "could not check",
      "The text that you entered is not a verification key. Its form is name+id+key, as in /ledger/vkey.",
    );
  }
}

/** Size and root are read from the text only after its signature was found right. */
export async function checkCheckpoint(
  key: NoteKey,
  reader: SiteReader,
  subtle: Subtle,
): Promise<Passed<TreeHead>> {
  const note = parseNote(await reader.readText(CHECKPOINT));
  const signatures = signaturesBy(note, key);
  const facts: Fact[] = [
    { name: "Signed text", value: note.text },
    ...signatures.map(({ signature }) => ({
      name: `Signature by ${key.name}+${key.keyId}`,
      value: toHex(signature),
    })),
  ];
  const areRight = await Promise.all(
    signatures.map((each) => isRightSignature(subtle, key, each, note.text)),
  );
  const head = withFacts(facts, () => signedTreeHead(signedText(note, key, areRight), key.name));
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

export interface FoundLeaf {
  readonly leaf: Leaf;
  readonly hash: Uint8Array;
}

/** The row's entry in the published bundles, against the row's number and the tree's tiles of level 0. */
export async function checkLeaf(
  row: number,
  tree: TileTree,
  reader: SiteReader,
  subtle: Subtle,
): Promise<Passed<FoundLeaf>> {
  if (row > tree.size)
    throw new Stop(
      "could not check",
      `The signed tree has ${tree.size} rows, so it does not contain row ${row} yet.`,
    );
  const entry = entryOfRow(row, await readBundle(row, tree.size, reader), tree.size);
  const [hash, inTile] = [await leafHash(subtle, entry), await tree.leafHash(row - 1)];
  const text = utf8("the entry", entry);
  const facts: Fact[] = [
    { name: "Entry", value: text },
    { name: "Leaf hash, recomputed", value: toHex(hash) },
    { name: "Hash in the tile", value: toHex(inTile) },
  ];
  if (!equalBytes(hash, inTile))
    throw new Stop("failed", "The entry's hash differs from the one in the tile.", facts);
  const leaf = withFacts(facts, () => leafOfRow(row, text));
  return {
    says: `Row ${row} has the kind “${leaf.kind}”, and its leaf hash ${shortened(toHex(hash))} is in the tile.`,
    facts,
    found: { leaf, hash },
  };
}

async function readBundle(row: number, size: number, reader: SiteReader): Promise<Uint8Array> {
  const bundle = bundleOf(row);
  const whole = `/ledger/${entriesPath(bundle, TILE_WIDTH)}`;
  // A log may drop a partial bundle once the full one exists.
  return (
    (await reader.read(`/ledger/${entriesPath(bundle, bundleWidth(bundle, size))}`)) ??
    (await reader.read(whole)) ??
    missing(whole)
  );
}

/** Whether the leaf's hash and its siblings from the tiles lead to the signed root. */
export async function checkPath(
  { leaf, hash }: FoundLeaf,
  head: TreeHead,
  tree: TileTree,
  nodeHash: NodeHash,
): Promise<Passed<undefined>> {
  const index = leaf.row - 1;
  const path = await tree.inclusionPath(index);
  const root = await rootOfInclusion({ index, size: head.size, leafHash: hash, path }, nodeHash);
  const facts: Fact[] = [
    ...path.map((sibling, at) => ({ name: `Sibling ${at + 1}`, value: toHex(sibling) })),
    { name: "Root recomputed", value: toHex(root) },
    { name: "Root signed", value: toHex(head.root) },
  ];
  if (!equalBytes(root, head.root))
    throw new Stop("failed", "The recomputed root differs from the signed root.", facts);
  const steps = path.length === 1 ? "1 sibling" : `${path.length} siblings`;
  return {
    says: `With ${steps}, the leaf hashes to the signed root ${shortened(toHex(root))}.`,
    facts,
    found: undefined,
  };
}

/** The row's public body, if its digest is one that the leaf holds. */
export async function checkDisclosure(
  leaf: Leaf,
  reader: SiteReader,
  subtle: Subtle,
): Promise<Passed<JsonObject>> {
  const file = await reader.readText(`/ledger/${disclosuresPath(bundleOf(leaf.row))}`);
  const disclosure = disclosureOfRow(leaf.row, file);
  if (disclosure === undefined) throw await undisclosed(leaf.row, reader);
  const digest = toBase64url(await sha256(subtle, new TextEncoder().encode(disclosure)));
  const facts: Fact[] = [
    { name: "Disclosure", value: disclosure },
    { name: "Digest, recomputed", value: digest },
    { name: "Digests in the leaf", value: leaf.digests.join("\n") },
  ];
  const body = withFacts(facts, () => bodyOfRow(leaf, { digest, text: disclosureText(disclosure) }));
  return {
    says: `Its digest ${shortened(digest)} is in the leaf, which is that of ${described(leaf.kind, body)}. The contents of the row are below.`,
    facts,
    found: body,
  };
}

/** What a row is about, with its name, kind or day. */
function described(kind: string, body: JsonObject): string {
  if (kind === "observation")
    return `an observation of the day that began at ${shown(body["observed_at"])} (${shown(body["presence_kind"])})`;
  if (kind === "record") return `the record “${shown(body["name"])}” (${shown(body["public_id"])})`;
  if (kind === "asset") return `the asset ${shown(body["public_id"])} (${shown(body["asset_type"])})`;
  return `a row of the kind “${kind}”`;
}

/** Every sealed row has a disclosure until it is withdrawn. */
async function undisclosed(row: number, reader: SiteReader): Promise<Stop> {
  const sealed = await latestSealedRow(reader);
  return sealed !== undefined && row <= sealed
    ? new Stop(
        "withdrawn",
        "What this row said was withdrawn and erased. Its leaf stays in the tree, so the log is unbroken.",
      )
    : new Stop(
        "not checked",
        "No disclosure is published: the row is withdrawn or not yet sealed. Its leaf is still in the tree.",
      );
}

/** Undefined when the site does not say. */
async function latestSealedRow(reader: SiteReader): Promise<number | undefined> {
  try {
    const { processing } = parseObject(STATUS, await reader.readText(STATUS));
    const sealed = isObject(processing) ? processing["latest_sealed_row"] : undefined;
    return typeof sealed === "number" ? sealed : undefined;
  } catch {
    return undefined;
  }
}

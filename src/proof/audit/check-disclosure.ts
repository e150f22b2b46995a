import { LedgerDisclosure, MAX_DISCLOSURE_BYTES } from "../../contract/ledger/ledger.ts";
import { leafHash, nodeHash } from "../../kernel/merkle-hash.ts";
import { parseUntrustedJson } from "../../kernel/text/untrusted-json.ts";
import { type KeyRing, openTreeHead, verifyKeyChain } from "../../ledger/keys/key-ring.ts";
import { parseVkey } from "../../ledger/keys/note.ts";
import { disclosureDigest, disclosure as disclosureOf } from "../../ledger/rows/digests.ts";
import { equalBytes, FormatError, toHex } from "../tlog/bytes.ts";
import { committedBy, disclosureText, type Leaf, leafOfRow } from "../tlog/leaf.ts";
import type { TreeHead } from "../tlog/note.ts";
import { formatTlogProof, parseTlogProof, rootOfInclusion, type TlogProof } from "../tlog/proof.ts";
import { Findings } from "./findings.ts";
import type { PublicFiles } from "./public-files.ts";
import { isRowWithdrawn, publishedCheckpoint, publishedLeaf } from "./published-row.ts";
import { openRelease, type SignedRelease } from "./release-manifest.ts";
import { type CheckedStep, type Passed, StepList } from "./step-list.ts";

/** Whose signature counts: that of a key known from elsewhere, of the keys that a site publishes, or of one that is both. */
export type DisclosureTrust =
  | { readonly vkey: string; readonly files?: undefined }
  | { readonly vkey?: string | undefined; readonly files: PublicFiles };

export interface DisclosedValue {
  readonly origin: string;
  readonly row: number;
  readonly kind: string;
  readonly field: string;
  readonly value: unknown;
  readonly json: string; // the value's exact text
  readonly treeSize: number; // of the signed tree that holds the row
}

export interface DisclosureCheck {
  readonly steps: readonly CheckedStep[];
  /** Whether the release has erased what the row said; undefined when no release was given or opened. */
  readonly withdrawn: boolean | undefined;
  /** Undefined unless every step passed. */
  readonly disclosed: DisclosedValue | undefined;
}

/** Checks a disclosure document with nothing but it and public files. Throws nothing: what is wrong is a failed step. */
export async function checkDisclosure(text: string, trust: DisclosureTrust): Promise<DisclosureCheck> {
  const steps = new StepList();
  const document = steps.run("document", async () => readDocument(text));
  const leaf = steps.run("leaf", async () => readLeaf(await document));
  const value = steps.run("disclosure", async () => readValue(await document, await leaf));
  const proof = steps.run("proof", async () => readProof(await document));
  const keys = steps.run("key", async () => trustedKeys(trust, await document));
  const head = steps.run("signature", async () => readHead(await document, await proof, (await keys).ring));
  steps.end("path", async () => followPath(await document, await proof, await head));
  if (trust.files !== undefined) {
    const { files } = trust;
    const release = async () => releaseOf(await keys);
    steps.end("published leaf", async () => publishedLeaf(files, await release(), await document));
    steps.end("published checkpoint", async () => {
      return publishedCheckpoint(files, await release(), (await head).size, (await proof).checkpoint);
    });
  }
  const withdrawn = trust.files && (await isWithdrawn(trust.files, keys, document));
  const all = await steps.all();
  if (all.some(({ state }) => state !== "passed")) return { steps: all, withdrawn, disclosed: undefined };
  const { row, field } = await document;
  const { origin, size } = await head;
  return {
    steps: all,
    withdrawn,
    disclosed: { origin, row, kind: (await leaf).kind, field, ...(await value), treeSize: size },
  };
}

/** The step "published leaf" has what is wrong with the files. */
async function isWithdrawn(
  files: PublicFiles,
  keys: Promise<TrustedKeys>,
  document: Promise<LedgerDisclosure>,
): Promise<boolean | undefined> {
  try {
    return await isRowWithdrawn(files, releaseOf(await keys), (await document).row);
  } catch {
    return undefined;
  }
}

function readDocument(text: string): Passed<LedgerDisclosure> {
  const length = Buffer.byteLength(text);
  if (length > MAX_DISCLOSURE_BYTES)
    throw new FormatError(`larger than ${MAX_DISCLOSURE_BYTES} bytes, as no disclosure is`);
  const { data, error } = LedgerDisclosure.safeParse(parsedJson(text));
  if (data === undefined)
    throw new FormatError(
      error.issues.map(({ path, message }) => `${path.join(".") || "document"}: ${message}`).join("; "),
    );
  return { says: `a disclosure of ${length} bytes, with every member as it must be`, found: data };
}

function parsedJson(text: string): unknown {
  try {
    return parseUntrustedJson(text);
  } catch {
    throw new FormatError("not JSON");
  }
}

function readLeaf({ leaf, row }: LedgerDisclosure): Passed<Leaf> {
  const read = leafOfRow(row, leaf);
  return { says: `that of row ${row}, of the kind ${read.kind}, in its one canonical form`, found: read };
}

function readValue(
  { disclosure, field }: LedgerDisclosure,
  leaf: Leaf,
): Passed<{ value: unknown; json: string }> {
  const digest = disclosureDigest(disclosure);
  const { salt, name, value } = committedBy(leaf, { digest, text: disclosureText(disclosure) });
  if (name !== field) throw new FormatError(`it discloses the field ${name}, not ${field}`);
  // The ledger writes a value in one way only: another could read differently in another program.
  const json = JSON.stringify(value);
  if (disclosureOf(salt, { name, json }) !== disclosure)
    throw new FormatError("its value is not written as the ledger writes values");
  return { says: `its digest ${digest} is in the leaf; it discloses ${field}`, found: { value, json } };
}

function readProof({ proof, row }: LedgerDisclosure): Passed<TlogProof> {
  const read = parseTlogProof(proof);
  if (formatTlogProof(read) !== proof) throw new FormatError("it is not written as the ledger writes proofs");
  if (read.index !== row - 1)
    throw new FormatError(`it is the proof of row ${read.index + 1}, not of ${row}`);
  return { says: `that of row ${row}, with ${read.path.length} hashes`, found: read };
}

interface TrustedKeys {
  readonly ring: KeyRing;
  readonly release: SignedRelease | undefined;
}

async function trustedKeys(
  { vkey, files }: DisclosureTrust,
  { environment }: LedgerDisclosure,
): Promise<Passed<TrustedKeys>> {
  if (files === undefined) {
    const ring = ringOf(vkey);
    return {
      says: `${ring.current.name}+${ring.current.keyId}, which you gave; it does not tell production from demonstration`,
      found: { ring, release: undefined },
    };
  }
  const findings = new Findings();
  const release = await openRelease(files, { vkey }, findings);
  if (release === undefined || findings.faults.length > 0)
    throw new FormatError(findings.faults.map(({ subject, problem }) => `${subject}: ${problem}`).join("; "));
  const published = release.manifest.inputs.environment;
  if (published !== environment)
    throw new FormatError(
      `the site publishes a ${published} ledger, the document is of a ${environment} one`,
    );
  const source = vkey === undefined ? "taken from the site itself" : "the one you gave among them";
  return {
    says: `${release.ring.all().length} of ${release.head.origin}, ${source}`,
    found: { ring: release.ring, release },
  };
}

/** A ring of one key that was never replaced, as far as its owner knows. */
function ringOf(vkey: string): KeyRing {
  const { name, keyId, vkey: key } = parseVkey(vkey.trim());
  return verifyKeyChain(name, [{ keyId, vkey: key, fromSize: 0, createdAt: 0, endorsement: null }]);
}

function releaseOf({ release }: TrustedKeys): SignedRelease {
  if (release === undefined) throw new FormatError("no release was opened");
  return release;
}

function readHead({ origin }: LedgerDisclosure, { checkpoint }: TlogProof, ring: KeyRing): Passed<TreeHead> {
  const head = openTreeHead(checkpoint, ring);
  if (head.origin !== origin)
    throw new FormatError(`the tree head is of ${head.origin}, the document says ${origin}`);
  const signer = ring.at(head.size);
  return { says: `${signer.name}+${signer.keyId} signed a tree of ${head.size} rows`, found: head };
}

async function followPath(
  { leaf, row }: LedgerDisclosure,
  { path }: TlogProof,
  { size, root }: TreeHead,
): Promise<string> {
  const claim = { index: row - 1, size, leafHash: leafHash(leaf), path };
  if (!equalBytes(await rootOfInclusion(claim, nodeHash), root))
    throw new FormatError("the leaf does not lead to the signed root");
  return `the leaf leads to the signed root ${toHex(root)}`;
}

import { LedgerDisclosure, MAX_DISCLOSURE_BYTES } from "../../contract/ledger/ledger.ts";
import { leafHash, nodeHash, sha256Hex } from "../../kernel/hash.ts";
import { parseUntrustedJson } from "../../kernel/text/json.ts";
import { type KeyRing, openTreeHead, verifyKeyChain } from "../../ledger/keys/key-ring.ts";
import { parseVkey } from "../../ledger/keys/note.ts";
import { disclosureDigest, disclosure as disclosureOf } from "../../ledger/rows/digests.ts";
import { equalBytes, FormatError, toHex } from "../tlog/bytes.ts";
import {
  committedBy,
  disclosureOfRow,
  disclosureText,
  entryOfRow,
  type Leaf,
  leafOfRow,
} from "../tlog/leaf.ts";
import type { TreeHead } from "../tlog/note.ts";
import {
  bundleOf,
  bundleWidth,
  disclosuresPath,
  entriesPath,
  formatTlogProof,
  parseTlogProof,
  rootOfInclusion,
  type TlogProof,
} from "../tlog/proof.ts";
import { Findings } from "./findings.ts";
import { openRelease, type SignedRelease } from "./release-manifest.ts";
import type { PublicFiles } from "./site-files.ts";

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

/** Says where a release publishes this leaf for its row. Throws FormatError where it does not. */
async function publishedLeaf(
  files: PublicFiles,
  release: SignedRelease,
  { row, leaf }: { readonly row: number; readonly leaf: string },
): Promise<string> {
  const { size } = release.head;
  if (row > size) throw new FormatError(`the release has ${size} rows, so row ${row} is not published yet`);
  const bundle = bundleOf(row);
  const path = `ledger/${entriesPath(bundle, bundleWidth(bundle, size))}`;
  if (!Buffer.from(leaf).equals(entryOfRow(row, await readListed(files, release, path), size)))
    throw new FormatError(`${path}: another leaf is published for row ${row}`);
  return `${path} holds the same leaf`;
}

/** Says where a release keeps this signed tree head of that size, byte for byte. Throws FormatError where it does not. */
async function publishedCheckpoint(
  files: PublicFiles,
  release: SignedRelease,
  size: number,
  checkpoint: string,
): Promise<string> {
  const path = `ledger/checkpoints/${size}`;
  if (size > release.head.size)
    throw new FormatError(
      `the release has ${release.head.size} rows, so the tree of ${size} is not published yet`,
    );
  if (!(await readListed(files, release, path)).equals(Buffer.from(checkpoint)))
    throw new FormatError(`${path}: another tree head is published`);
  return `${path} is the same tree head`;
}

/** Whether a release has erased what a sealed row said. Throws FormatError for a file that is not the signed one. */
async function isRowWithdrawn(files: PublicFiles, release: SignedRelease, row: number): Promise<boolean> {
  const { last_sealed_row: sealed } = release.manifest.inputs;
  if (row > sealed) return false;
  const lines = await readListed(files, release, `ledger/${disclosuresPath(bundleOf(row))}`);
  return disclosureOfRow(row, lines.toString("utf8")) === undefined;
}

/** A file of the release as its signed list has it. */
async function readListed(files: PublicFiles, { manifest }: SignedRelease, path: string): Promise<Buffer> {
  const body = await files.read(path);
  if (body === undefined) throw new FormatError(`${path}: the file is missing`);
  if (manifest.files[path] !== sha256Hex(body))
    throw new FormatError(`${path}: its hash is not the one in the signed list`);
  return body;
}

/** How a step ended: `not checked` needs a step that did not pass. */
interface CheckedStep {
  readonly step: string;
  readonly state: "passed" | "failed" | "not checked";
  readonly says: string;
}

/** Result of a passed step: a sentence for the report, and a value for later steps. */
interface Passed<Found> {
  readonly says: string;
  readonly found: Found;
}

class NotChecked extends Error {}

/** Steps of a check, some of which need what others found. A step that fails ends only those that need it. */
class StepList {
  readonly #outcomes: Promise<CheckedStep>[] = [];

  /** The result of the step. It rejects in steps that need it when there is none, and nowhere else. */
  run<Found>(step: string, check: () => Promise<Passed<Found>>): Promise<Found> {
    const outcome = check();
    this.#outcomes.push(
      outcome.then(
        ({ says }) => ({ step, state: "passed", says }),
        (error) => failedStep(step, error),
      ),
    );
    const found = outcome.then(
      (passed) => passed.found,
      () => {
        throw new NotChecked();
      },
    );
    found.catch(() => undefined);
    return found;
  }

  /** A step that no other needs. `check` returns what it says. */
  end(step: string, check: () => Promise<string>): void {
    void this.run(step, async () => ({ says: await check(), found: undefined }));
  }

  /** All steps, in the order in which they were begun. */
  all(): Promise<CheckedStep[]> {
    return Promise.all(this.#outcomes);
  }
}

function failedStep(step: string, error: unknown): CheckedStep {
  if (error instanceof NotChecked)
    return { step, state: "not checked", says: "it needs a step that did not pass" };
  return { step, state: "failed", says: error instanceof Error ? error.message : String(error) };
}

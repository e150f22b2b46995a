import { LedgerCheckpointsResponse } from "../../contract/ledger/ledger.ts";
import { sha256Hex } from "../../kernel/hash.ts";
import { openTreeHead } from "../../ledger/keys/key-ring.ts";
import type { LedgerRow } from "../../ledger/rows/rows.ts";
import { hashesOfTile, TileEdge } from "../../ledger/tree/merkle.ts";
import type { TrustAnchor } from "../timestamp/certificates.ts";
import { equalBytes } from "../tlog/bytes.ts";
import {
  bundleOf,
  bundleWidth,
  disclosuresPath,
  entriesPath,
  HASH_BYTES,
  TILE_WIDTH,
} from "../tlog/proof.ts";
import {
  type AuditedBundle,
  auditBundle,
  type BundleTask,
  pathsOfBundle,
  readBundles,
} from "./bundle-audit.ts";
import type { Findings } from "./findings.ts";
import { type SignedRelease, text } from "./release-manifest.ts";
import { RowAudit } from "./row-audit.ts";
import type { PublicFiles } from "./site-files.ts";

export interface TreeAuditOptions {
  /** A signed tree head that the auditor kept from earlier: history must not have changed since. */
  readonly remembered?: string | undefined;
  readonly progress?: ((rows: number, total: number) => void) | undefined;
  /** Takes each row with its verified public body, in order. When it was accepted is not public: `acceptedAt` is 0. */
  readonly onRow?: ((row: LedgerRow) => void) | undefined;
  /** Takes what is wrong with the files of leaves and disclosures against the signed list, which is checked then. */
  readonly files?: Findings | undefined;
}

const PROGRESS_BUNDLES = 100;

/**
 * Derives the whole tree again from the published leaves and holds everything against it: each file of each size, the root of
 * every signed tree head, each disclosure, seal and redaction. Rows and files at fault are named in `findings`. Whoever reads and
 * checks the bundles hands them over in order.
 */
export class TreeAudit {
  readonly rows: RowAudit;
  readonly #release: SignedRelease;
  readonly #options: TreeAuditOptions;
  readonly #findings: Findings;
  readonly #heads: ReadonlyMap<number, readonly DueHead[]>;
  readonly #tree: TreeComparison;

  constructor(
    release: SignedRelease,
    heads: ReadonlyMap<number, readonly DueHead[]>,
    options: TreeAuditOptions,
    findings: Findings,
  ) {
    this.rows = new RowAudit(release, findings);
    this.#release = release;
    this.#options = options;
    this.#findings = findings;
    this.#heads = heads;
    this.#tree = new TreeComparison(release, heads, findings);
  }

  /** The bundles to check, in order. */
  *tasks(): Generator<BundleTask, void> {
    const { head, manifest } = this.#release;
    const signed = Map.groupBy(
      [...this.#heads.keys()].sort((a, b) => a - b),
      bundleOf,
    );
    for (let index = 0; index * TILE_WIDTH < head.size; index += 1) {
      const width = bundleWidth(index, head.size);
      const { entries, disclosures } = pathsOfBundle({ index, width });
      yield {
        index,
        width,
        signed: (signed.get(index) ?? []).map((size) => size - index * TILE_WIDTH),
        ...(this.#options.files !== undefined && {
          listed: { entries: manifest.files[entries], disclosures: manifest.files[disclosures] },
        }),
        withBodies: this.#options.onRow !== undefined,
      };
    }
  }

  /** The bundle that comes next. Returns false where it has no place in the tree: after one that is incomplete. */
  take(bundle: AuditedBundle): boolean {
    this.#options.files?.take(bundle.files);
    if (bundle.index * TILE_WIDTH !== this.#tree.size) return false;
    this.#findings.take(bundle.tree);
    this.rows.add(bundle);
    this.#tree.add(bundle);
    this.#handOver(bundle);
    if (bundle.index % PROGRESS_BUNDLES === 0)
      this.#options.progress?.(this.#tree.size, this.#release.head.size);
    return true;
  }

  /** Once all bundles are in. */
  async finish(files: PublicFiles): Promise<RowAudit> {
    await this.#tree.nameRows(files);
    if (this.#tree.size === this.#release.head.size) {
      this.rows.finish();
      this.#tree.nameSurplus();
    } else
      this.#findings.fault(
        `row ${this.#tree.size + 1}`,
        "its leaf is missing, so it and all rows after it could not be checked",
      );
    return this.rows;
  }

  #handOver({ index, leafHashes, bodies }: AuditedBundle): void {
    const { onRow } = this.#options;
    if (onRow === undefined || bodies === undefined) return;
    const rows: [id: number, kind: LedgerRow["kind"], parts: ReturnType<typeof JSON.parse>[]][] =
      JSON.parse(bodies);
    for (const [id, kind, parts] of rows) {
      const at = (id - index * TILE_WIDTH - 1) * HASH_BYTES;
      const leafHash = Buffer.from(leafHashes.buffer, leafHashes.byteOffset + at, HASH_BYTES);
      onRow({ id, kind, acceptedAt: 0, body: parts[2], leafHash });
    }
  }
}

/** The audit of a release's tree, ready for its bundles. */
export async function startTreeAudit(
  files: PublicFiles,
  release: SignedRelease,
  options: TreeAuditOptions,
  findings: Findings,
): Promise<TreeAudit> {
  const heads = await signedHeads(files, release, options.remembered, findings);
  return new TreeAudit(release, heads, options, findings);
}

/** The same with all that it reads, in this thread. */
export async function auditTree(
  files: PublicFiles,
  release: SignedRelease,
  options: TreeAuditOptions,
  findings: Findings,
): Promise<RowAudit> {
  const audit = await startTreeAudit(files, release, options, findings);
  for await (const [task, read] of readBundles(files, audit.tasks()))
    if (!audit.take(auditBundle(task, read)) && options.files === undefined) break;
  return audit.finish(files);
}

const KEPT = "the checkpoint that you kept";

/** Every signed tree head whose root the leaves must lead to, by size: the published ones and one that was kept from earlier. */
async function signedHeads(
  files: PublicFiles,
  release: SignedRelease,
  remembered: string | undefined,
  findings: Findings,
): Promise<Map<number, DueHead[]>> {
  const { ring, head, manifest } = release;
  const due = new Map<number, DueHead[]>();
  const add = (size: number, entry: DueHead) => due.set(size, [...(due.get(size) ?? []), entry]);
  add(head.size, { subject: "ledger/checkpoint", root: head.root, isPublished: true });
  const paths = Object.keys(manifest.files).filter((path) => path.startsWith("ledger/checkpoints/"));
  for (const path of paths) {
    await findings.attempt(path, async () => {
      const { size, root } = openTreeHead(await text(files, path), ring);
      if (path !== `ledger/checkpoints/${size}`) throw new Error(`holds the tree head of ${size} rows`);
      if (size > head.size) throw new Error(`is larger than the newest tree head of ${head.size} rows`);
      add(size, { subject: path, root, isPublished: true });
    });
  }
  if (!paths.includes(`ledger/checkpoints/${head.size}`))
    findings.fault(`ledger/checkpoints/${head.size}`, "the newest checkpoint is not among those kept");
  if (remembered === undefined) return due;
  const kept = await findings.attempt(KEPT, () => openTreeHead(remembered, ring));
  if (kept !== undefined && kept.size > head.size)
    findings.fault(KEPT, `has ${kept.size} rows, but the log now shows ${head.size}`);
  else if (kept !== undefined) add(kept.size, { subject: KEPT, root: kept.root, isPublished: false });
  return due;
}

/** A signed tree head that the leaves must lead to. */
interface DueHead {
  readonly subject: string;
  readonly root: Uint8Array;
  readonly isPublished: boolean; // then the tree's files of that size must be there
}

const OF_THE_TREE = /^ledger\/(tile|disclosures)\//;
const LEAF_TILE = /^ledger\/tile\/0\/((?:x\d{3}\/)*\d{3})(?:\.p\/\d+)?$/;

/**
 * Grows the tree from its leaves and holds every file and root that follows against what is published. A file is compared by
 * its hash in the signed manifest: whether it lies there with that hash is checked with all other files.
 */
class TreeComparison {
  readonly #release: SignedRelease;
  readonly #findings: Findings;
  readonly #heads: ReadonlyMap<number, readonly DueHead[]>;
  readonly #edge: TileEdge;
  readonly #wrongTiles = new Map<string, Uint8Array>();
  readonly #due = new Set<string>(); // files that a tree of a signed size has

  /** `heads`: every signed tree head, by size. */
  constructor(release: SignedRelease, heads: ReadonlyMap<number, readonly DueHead[]>, findings: Findings) {
    this.#release = release;
    this.#findings = findings;
    this.#heads = heads;
    this.#edge = new TileEdge((path, bytes) => this.#compare(`ledger/${path}`, sha256Hex(bytes), bytes));
  }

  get size(): number {
    return this.#edge.size;
  }

  /** The bundle that comes next. */
  add(bundle: AuditedBundle): void {
    this.#due.add(`ledger/${disclosuresPath(bundle.index)}`);
    const isSignedWithin = [...bundle.entryHashes.keys()].some((width) => width < TILE_WIDTH);
    if (bundle.root !== undefined && !isSignedWithin)
      this.#edge.pushTile(bundle.leafHashes, Buffer.from(bundle.root));
    else
      for (const hash of hashesOfTile(bundle.leafHashes)) {
        this.#edge.push(hash);
        if (this.size % TILE_WIDTH > 0) this.#compareRoots(bundle);
      }
    if (bundle.root === undefined) return;
    this.#compareEntries(bundle, TILE_WIDTH);
    this.#compareRoots(bundle);
  }

  /** With the heads of the size that the tree has now. */
  #compareRoots(bundle: AuditedBundle): void {
    const due = this.#heads.get(this.size);
    if (due === undefined) return;
    if (due.some(({ isPublished }) => isPublished)) {
      this.#edge.writePartial();
      if (this.size % TILE_WIDTH > 0) this.#compareEntries(bundle, this.size % TILE_WIDTH);
    }
    const root = this.#edge.root();
    for (const { subject, root: signed } of due) {
      this.#findings.checked("signed tree heads");
      if (!equalBytes(root, signed))
        this.#findings.fault(subject, "the published leaves do not lead to its root");
    }
  }

  /** Once the tree is complete: reports files that are listed as part of the tree and are not. */
  nameSurplus(): void {
    for (const path of Object.keys(this.#release.manifest.files))
      if (OF_THE_TREE.test(path) && !this.#due.has(path))
        this.#findings.fault(path, "no tree of a signed size has this file");
  }

  /** Finds the rows whose leaves are not those of the published tiles. */
  async nameRows(files: PublicFiles): Promise<void> {
    for (const [path, expected] of this.#wrongTiles) {
      const first = tileIndex(path) * TILE_WIDTH;
      const published = (await files.read(path)) ?? Buffer.alloc(0);
      for (let at = 0; at < expected.length; at += HASH_BYTES) {
        const leaf = expected.subarray(at, at + HASH_BYTES);
        if (!equalBytes(leaf, published.subarray(at, at + HASH_BYTES)))
          this.#findings.fault(
            `row ${first + at / HASH_BYTES + 1}`,
            `its leaf is not the one that ${path} holds`,
          );
      }
    }
  }

  #compareEntries({ index, entryHashes }: AuditedBundle, width: number): void {
    this.#compare(`ledger/${entriesPath(index, width)}`, entryHashes.get(width) ?? "");
  }

  #compare(path: string, sha256: string, tile?: Uint8Array): void {
    this.#findings.checked("tiles and bundles");
    this.#due.add(path);
    const listed = this.#release.manifest.files[path];
    if (listed === sha256) return;
    this.#findings.fault(
      path,
      listed === undefined ? "the file is not published" : "it is not what the leaves lead to",
    );
    if (tile !== undefined && LEAF_TILE.test(path)) this.#wrongTiles.set(path, tile);
  }
}

function tileIndex(path: string): number {
  const [, groups = ""] = LEAF_TILE.exec(path) ?? [];
  return Number(groups.replaceAll(/[x/]/g, ""));
}

const LIST = "api/v1/ledger-checkpoints.json";
const STAMP = /^ledger\/timestamps\/(\d+)\.tsr$/;

/**
 * Verifies every published timestamp over its signed tree head, and that no checkpoint claims a missing one. Without `anchors` the
 * signer's chain stays unchecked, and the timestamp is counted separately.
 */
export async function auditTimestamps(
  files: PublicFiles,
  { manifest }: SignedRelease,
  anchors: readonly TrustAnchor[] | undefined,
  findings: Findings,
): Promise<void> {
  const stamps = new Map<string, string>();
  for (const path of Object.keys(manifest.files)) {
    const [, size] = STAMP.exec(path) ?? [];
    if (size === undefined) continue;
    const chain = await findings.attempt(path, () => verifyStamp(files, path, size, anchors));
    findings.checked(chain === "unchecked" ? "timestamps, their signers unchecked" : "timestamps");
    stamps.set(manifest.files[path] ?? "", path);
  }
  await findings.attempt(LIST, async () => {
    const { checkpoints } = LedgerCheckpointsResponse.parse(JSON.parse(await text(files, LIST)));
    for (const { date, external_proof } of checkpoints)
      if (external_proof.status === "verified" && !stamps.has(external_proof.proof_sha256 ?? ""))
        findings.fault(LIST, `the checkpoint of ${date} claims a timestamp that is not published`);
  });
}

async function verifyStamp(
  files: PublicFiles,
  path: string,
  size: string,
  anchors: readonly TrustAnchor[] | undefined,
): Promise<"verified" | "unchecked"> {
  const [response, message] = await Promise.all([files.read(path), files.read(`ledger/checkpoints/${size}`)]);
  if (response === undefined || message === undefined)
    throw new Error("the timestamp or its checkpoint is missing");
  // Loaded only when there is a timestamp: the parsers of certificates take more memory than the rest of the program.
  const { verifyTimestamp } = await import("../timestamp/verify-timestamp.ts");
  const verified = await verifyTimestamp({
    response,
    message,
    ...(anchors !== undefined && { trustAnchors: anchors }),
  });
  return verified.chain;
}

import { sha256Base64url } from "../kernel/hash.ts";
import { openTreeHead } from "../ledger/keys/key-ring.ts";
import { type LedgerRow, ROW_BODIES, type RowKind } from "../ledger/rows/rows.ts";
import { type Leaf, parseLeaf } from "../tlog/leaf.ts";
import { disclosuresPath, TILE_WIDTH } from "../tlog/tile.ts";
import { type Bundle, readBundles } from "./bundles.ts";
import { type Findings, problemOf } from "./findings.ts";
import type { PublicFiles } from "./public-files.ts";
import { type SignedRelease, text } from "./release-manifest.ts";
import { type Disclosed, RowAudit } from "./row-audit.ts";
import { type DueHead, TreeComparison } from "./tree-comparison.ts";

export interface TreeAuditOptions {
  /** A signed tree head that the auditor kept from earlier: history must not have changed since. */
  readonly remembered?: string | undefined;
  readonly progress?: ((rows: number, total: number) => void) | undefined;
  /** Takes each row with its verified public body, in order. When it was accepted is not public: `acceptedAt` is 0. */
  readonly onRow?: ((row: LedgerRow) => void) | undefined;
}

const PROGRESS_BUNDLES = 100;

/**
 * Derives the whole tree again from the published leaves and holds everything against it: each file of each size, the root of
 * every signed tree head, each disclosure, seal and redaction. Rows and files at fault are named in `findings`.
 */
export async function auditTree(
  files: PublicFiles,
  release: SignedRelease,
  options: TreeAuditOptions,
  findings: Findings,
): Promise<RowAudit> {
  const heads = await signedHeads(files, release, options, findings);
  const rows = new RowAudit(release, findings);
  const edge = new TreeComparison(release, findings);
  for await (const bundle of readBundles(files, release.head.size, findings)) {
    if (bundle.index * TILE_WIDTH !== edge.size) break;
    edge.expect(`ledger/${disclosuresPath(bundle.index)}`);
    auditBundle(bundle, { edge, rows, heads, findings, onRow: options.onRow });
    if (bundle.index % PROGRESS_BUNDLES === 0) options.progress?.(edge.size, release.head.size);
  }
  await edge.nameRows(files);
  if (edge.size === release.head.size) {
    rows.finish();
    edge.nameSurplus();
  } else
    findings.fault(
      `row ${edge.size + 1}`,
      "its leaf is missing, so it and all rows after it could not be checked",
    );
  return rows;
}

interface TreeAudit {
  readonly edge: TreeComparison;
  readonly rows: RowAudit;
  readonly heads: ReadonlyMap<number, DueHead[]>;
  readonly findings: Findings;
  readonly onRow: TreeAuditOptions["onRow"];
}

function auditBundle(bundle: Bundle, { edge, rows, heads, findings, onRow }: TreeAudit): void {
  for (const entry of bundle.entries) {
    const leafHash = edge.push(entry);
    const leaf = readLeaf(entry, edge.size, findings);
    if (leaf !== undefined) {
      const disclosed = disclosedBody(leaf, bundle, findings);
      rows.add(leaf, leafHash, disclosed);
      if (typeof disclosed !== "string" && isRowKind(leaf.kind))
        onRow?.({ id: leaf.row, kind: leaf.kind, acceptedAt: 0, body: disclosed.body, leafHash });
    }
    edge.compareRoots(heads.get(edge.size) ?? []);
  }
}

/** Every signed tree head whose root the leaves must lead to, by size. */
async function signedHeads(
  files: PublicFiles,
  { ring, head, manifest }: SignedRelease,
  { remembered }: TreeAuditOptions,
  findings: Findings,
): Promise<Map<number, DueHead[]>> {
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
  const kept = await findings.attempt("the checkpoint that you kept", () => openTreeHead(remembered, ring));
  if (kept !== undefined && kept.size > head.size)
    findings.fault(
      "the checkpoint that you kept",
      `has ${kept.size} rows, but the log now shows ${head.size}`,
    );
  else if (kept !== undefined)
    add(kept.size, { subject: "the checkpoint that you kept", root: kept.root, isPublished: false });
  return due;
}

function readLeaf(entry: Buffer, row: number, findings: Findings): Leaf | undefined {
  try {
    const leaf = parseLeaf(entry.toString("latin1"));
    if (leaf.row === row) return leaf;
    findings.fault(`row ${row}`, `its leaf says that it is row ${leaf.row}`);
  } catch (error) {
    findings.fault(`row ${row}`, problemOf(error));
  }
  return undefined;
}

/** The public body that the leaf commits to, where one is published. */
function disclosedBody(leaf: Leaf, { disclosures }: Bundle, findings: Findings): Disclosed {
  const disclosure = disclosures.get(leaf.row);
  if (disclosure === undefined) return "none";
  findings.checked("disclosures");
  try {
    if (!leaf.digests.includes(sha256Base64url(disclosure)))
      throw new Error("it is not what the leaf commits to");
    if (!isRowKind(leaf.kind)) throw new Error(`the kind ${leaf.kind} is unknown`);
    const parts = JSON.parse(Buffer.from(disclosure, "base64url").toString("utf8"));
    if (!Array.isArray(parts) || parts.length !== 3 || parts[1] !== "body")
      throw new Error("it is not a body");
    ROW_BODIES[leaf.kind].parse(parts[2]);
    return { body: parts[2] };
  } catch (error) {
    findings.fault(`row ${leaf.row}`, `its disclosure: ${problemOf(error)}`);
    return "faulty";
  }
}

function isRowKind(kind: string): kind is RowKind {
  return Object.hasOwn(ROW_BODIES, kind);
}

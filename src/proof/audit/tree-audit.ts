import type { LedgerRow } from "../../ledger/rows/rows.ts";
import { bundleOf, bundleWidth, HASH_BYTES, TILE_WIDTH } from "../tlog/tile.ts";
import { type AuditedBundle, auditBundle, type BundleTask } from "./bundle-audit.ts";
import { pathsOfBundle, readBundles } from "./bundles.ts";
import type { Findings } from "./findings.ts";
import type { PublicFiles } from "./public-files.ts";
import type { SignedRelease } from "./release-manifest.ts";
import { RowAudit } from "./row-audit.ts";
import { signedHeads } from "./signed-heads.ts";
import { type DueHead, TreeComparison } from "./tree-comparison.ts";

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

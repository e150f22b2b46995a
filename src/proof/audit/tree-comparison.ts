import { sha256Hex } from "../../kernel/hash.ts";
import { hashesOfTile, TileEdge } from "../../ledger/tree/tile-edge.ts";
import { equalBytes } from "../tlog/bytes.ts";
import { disclosuresPath, entriesPath, HASH_BYTES, TILE_WIDTH } from "../tlog/tile.ts";
import type { AuditedBundle } from "./bundle-audit.ts";
import type { Findings } from "./findings.ts";
import type { PublicFiles } from "./public-files.ts";
import type { SignedRelease } from "./release-manifest.ts";

/** A signed tree head that the leaves must lead to. */
export interface DueHead {
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
export class TreeComparison {
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

import { copyFileSync, linkSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { BuildEffects } from "../../../src/build/effects.ts";
import { MANIFEST_FILES, writeManifest } from "../../../src/build/stages/manifest.ts";
import { leafHash, sha256Base64url, sha256Hex } from "../../../src/kernel/hash.ts";
import { canonicalJson } from "../../../src/kernel/text/json.ts";
import type { NoteSigner } from "../../../src/ledger/keys/note.ts";
import { leafText } from "../../../src/ledger/rows/digests.ts";
import { SealBody } from "../../../src/ledger/rows/rows.ts";
import { TileWriter } from "../../../src/ledger/tree/merkle.ts";
import { ReleaseManifest } from "../../../src/proof/audit/release-manifest.ts";
import { parseDisclosure, parseLeaf, splitEntries } from "../../../src/proof/tlog/leaf.ts";
import { formatTreeHead } from "../../../src/proof/tlog/note.ts";
import {
  bundleOf,
  bundleWidth,
  disclosuresPath,
  entriesPath,
  TILE_WIDTH,
} from "../../../src/proof/tlog/proof.ts";

/** Hard links to every file of a folder, elsewhere on the same disk: what is changed there must be replaced, not written into. */
export function linkTree(from: string, to: string): void {
  for (const entry of readdirSync(from, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = join(entry.parentPath, entry.name);
    const copy = join(to, relative(from, file));
    mkdirSync(dirname(copy), { recursive: true });
    const isDatabase = file.endsWith(".db"); // and is opened only as a file with one name
    (isDatabase ? copyFileSync : linkSync)(file, copy);
  }
}

export function replaceFile(path: string, bytes: Uint8Array): void {
  rmSync(path, { force: true });
  writeFileSync(path, bytes);
}

/** Whoever holds the key can sign anything. This one changes a copy of a release and makes everything fit as well as can be. */
export class DishonestOperator {
  readonly site: string;
  readonly #signer: NoteSigner;

  constructor(release: string, signer: NoteSigner) {
    this.site = join(release, "site");
    this.#signer = signer;
  }

  get manifest(): ReleaseManifest {
    return ReleaseManifest.parse(JSON.parse(this.#text("manifest.json")));
  }

  /** Says nothing any more of what a row holds. */
  async omit(row: number): Promise<void> {
    const path = this.#disclosures(row);
    const lines = this.#text(path).split("\n");
    this.#replace(path, lines.filter((line) => !line.startsWith(`{"i":${row},`)).join("\n"));
    await this.signAgain([path]);
  }

  /** Puts another body into a row, and makes leaf, tiles and the newest tree head of it; the older ones are out. */
  async rewrite(row: number, change: (body: string) => string): Promise<void> {
    const path = this.#disclosures(row);
    const lines = this.#text(path).split("\n");
    const at = lines.findIndex((line) => line.startsWith(`{"i":${row},`));
    const old = /"d":"(.*)"/.exec(lines[at] ?? "")?.[1] ?? "";
    const { salt, name, json } = parseDisclosure(old);
    const made = Buffer.from(`["${salt}","${name}",${change(json)}]`).toString("base64url");
    lines[at] = JSON.stringify({ i: row, d: made });
    this.#replace(path, lines.join("\n"));
    const leaves = this.#leaves();
    const { kind, digests } = parseLeaf(String(leaves[row - 1]));
    const changed = digests.map((digest) =>
      digest === sha256Base64url(old) ? sha256Base64url(made) : digest,
    );
    leaves[row - 1] = Buffer.from(leafText(row, kind, changed.sort()));
    await this.signAgain([path, ...this.#writeTree(leaves)]);
  }

  /** The manifest with the hashes of these files as they are now, signed. */
  async signAgain(paths: readonly string[], signer = this.#signer, releaseId?: string): Promise<void> {
    const { manifest } = this;
    const effects = new BuildEffects(this.site, undefined);
    for (const [path, hash] of Object.entries(manifest.files)) effects.hashes.set(path, hash);
    for (const path of paths) effects.hashes.set(path, sha256Hex(readFileSync(join(this.site, path))));
    for (const path of MANIFEST_FILES) rmSync(join(this.site, path), { force: true });
    const { inputs, release_id } = manifest;
    const row = {
      releaseId: releaseId ?? release_id,
      asOf: Date.parse(inputs.as_of),
      treeSize: inputs.tree_size,
      signedTreeSize: inputs.tree_size,
      mends: null,
      carriedCities: [],
      environment: inputs.environment,
      origin: inputs.origin,
      baseUrl: inputs.base_url,
      sourceRevision: inputs.source_revision,
      latestLiveRow: inputs.tree_size,
      pendingLines: inputs.pending_lines,
      latestLiveAt: null,
      lastSealedRow: inputs.last_sealed_row,
      lastSealAt: null,
      externalTimestamping: false,
      securityContact: inputs.security_contact,
      referenceHash: inputs.reference_sha256,
      activityHash: null,
      demandHash: null,
      operatorName: null,
      siteName: null,
      operatorTextsHash: null,
      incidentsHash: null,
      reportsHash: null,
      delivery: inputs.delivery,
      compared: inputs.compared_release,
    };
    await writeManifest(row, join(this.site, "..", "snapshot.db"), effects, (text) => signer.sign(text));
  }

  /** Tiles of every signed size, and the newest head. Returns what changed. */
  #writeTree(leaves: readonly Buffer[]): string[] {
    const written: string[] = [];
    const write = (path: string, bytes: Uint8Array | string) => {
      written.push(path);
      this.#replace(path, bytes);
    };
    const sizes = new Set(readdirSync(join(this.site, "ledger/checkpoints")).map(Number));
    const tiles = new TileWriter((path, bytes) => write(`ledger/${path}`, bytes));
    for (const leaf of leaves) {
      tiles.push(leaf, leafHash(leaf));
      if (sizes.has(tiles.size)) tiles.writePartial();
    }
    const { size } = tiles;
    const note = this.#signer.sign(formatTreeHead({ origin: this.#signer.name, size, root: tiles.root() }));
    for (const path of ["ledger/checkpoint", `ledger/checkpoints/${size}`]) write(path, note);
    return written;
  }

  #leaves(): Buffer[] {
    const size = this.manifest.inputs.tree_size;
    return Array.from({ length: Math.ceil(size / TILE_WIDTH) }, (_, index) => {
      const width = bundleWidth(index, size);
      return splitEntries(readFileSync(join(this.site, "ledger", entriesPath(index, width))));
    })
      .flat()
      .map((entry) => Buffer.from(entry));
  }

  #disclosures(row: number): string {
    return `ledger/${disclosuresPath(bundleOf(row))}`;
  }

  #text(path: string): string {
    return readFileSync(join(this.site, path), "utf8");
  }

  #replace(path: string, content: string | Uint8Array): void {
    replaceFile(join(this.site, path), Buffer.from(content));
  }
}

/** A seal's body with other values, and the hash over it right again. */
export function changedSeal(json: string, change: Partial<SealBody>): string {
  const { manifest_sha256: _, ...content } = { ...SealBody.parse(JSON.parse(json)), ...change };
  return canonicalJson({ ...content, manifest_sha256: sha256Hex(canonicalJson(content)) });
}

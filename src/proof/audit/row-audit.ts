import { EMPTY_ROOT, sha256Hex } from "../../kernel/hash.ts";
import { canonicalJson } from "../../kernel/text/json.ts";
import { ClockBody, RedactionBody, SealBody } from "../../ledger/rows/rows.ts";
import { isDisclosed } from "../../ledger/rows/stored-rows.ts";
import { Frontier, hashesOfTile } from "../../ledger/tree/merkle.ts";
import { lastSealedRow, type Seal } from "../../ledger/tree/seal.ts";
import { HASH_BYTES, TILE_WIDTH } from "../tlog/proof.ts";
import type { AuditedBundle, Statement } from "./bundle-audit.ts";
import { type Findings, REASONS_UNCHECKED } from "./findings.ts";
import type { SignedRelease } from "./release-manifest.ts";

type RowsOfBundle = Pick<
  AuditedBundle,
  "index" | "leafHashes" | "statements" | "undisclosed" | "unreadable" | "lastDisclosed"
>;

/** Holds rows against what other rows say of them: seals of their ranges, redactions of those that are gone. Bundles come in order. */
export class RowAudit {
  readonly seals: Seal[] = [];
  readonly #release: SignedRelease;
  readonly #findings: Findings;
  readonly #redactedBy = new Map<number, number>();
  readonly #undisclosed: { readonly row: number; readonly kind: string }[] = [];
  /** Leaf hashes since the last sealed row: what the next seal's root is over. */
  readonly #unsealed = new HashList();
  #lastDisclosed = 0;
  /** Whether a row since the last seal corrected the ledger's clock, so that the next seal may be older. */
  #isClockCorrected = false;

  constructor(release: SignedRelease, findings: Findings) {
    this.#release = release;
    this.#findings = findings;
  }

  /** The last row that a seal of this release covers. */
  get sealed(): number {
    return lastSealedRow(this.seals, this.#release.head.size);
  }

  add({ index, leafHashes, statements, undisclosed, unreadable, lastDisclosed }: RowsOfBundle): void {
    this.#undisclosed.push(...undisclosed);
    const stated = new Map(statements.map((statement) => [statement.row, statement]));
    for (const [at, hash] of hashesOfTile(leafHashes).entries()) {
      const row = index * TILE_WIDTH + at + 1;
      if (unreadable.includes(row)) continue;
      const statement = stated.get(row);
      if (statement !== undefined) this.#read(statement);
      this.#unsealed.push(hash);
    }
    if (lastDisclosed > 0) this.#lastDisclosed = lastDisclosed;
  }

  /** Once all rows are in: nothing may be missing without a row that says so. */
  finish(): void {
    const { sealed } = this;
    let redacted = 0;
    let waiting = 0;
    for (const { row, kind } of this.#undisclosed) {
      if (this.#redactedBy.delete(row)) redacted += 1;
      else if (!isDisclosed(row, kind, sealed)) waiting += 1;
      else
        this.#findings.fault(
          `row ${row}`,
          "silent omission: it is not disclosed, and no later row redacts it",
        );
    }
    for (const [row, by] of this.#redactedBy)
      this.#findings.fault(`row ${row}`, `redacted by row ${by}, but its disclosure is published`);
    if (this.#lastDisclosed > sealed)
      this.#findings.fault(`row ${this.#lastDisclosed}`, "published before any seal covers it");
    this.#findings.checked("redacted rows", redacted);
    this.#findings.checked("rows that wait for a seal", waiting);
    if (sealed !== this.#release.manifest.inputs.last_sealed_row)
      this.#findings.fault(
        "manifest.json",
        `says that row ${this.#release.manifest.inputs.last_sealed_row} is the last sealed one, but it is ${sealed}`,
      );
  }

  #read({ row, kind, body }: Statement): void {
    if (kind === "seal") this.#seal(row, SealBody.parse(body));
    else if (kind === "clock") this.#clock(row, ClockBody.parse(body));
    else this.#redaction(row, RedactionBody.parse(body));
  }

  #clock(row: number, { from, to }: ClockBody): void {
    this.#findings.checked("corrections of the clock");
    if (to > from)
      this.#findings.fault(`row ${row}`, `corrects the clock from ${from} to ${to}, which is later`);
    this.#isClockCorrected = true;
  }

  #redaction(row: number, { rows }: RedactionBody): void {
    this.#findings.checked("redactions");
    this.#findings.checked(REASONS_UNCHECKED);
    for (const gone of rows) {
      if (gone >= row) this.#findings.fault(`row ${row}`, `redacts row ${gone}, which is not before it`);
      else if (!this.#redactedBy.has(gone)) this.#redactedBy.set(gone, row);
    }
  }

  #seal(row: number, body: SealBody): void {
    this.#findings.checked("seals");
    for (const problem of this.#sealProblems(row, body))
      this.#findings.fault(`row ${row}`, `seal of ${body.date}: ${problem}`);
    const covered = body.last_observation_id - this.#firstUnsealed + 1;
    this.#unsealed.dropFirst(covered);
    this.#isClockCorrected = false;
    this.seals.push({ row, body });
  }

  get #firstUnsealed(): number {
    return (this.seals.at(-1)?.body.last_observation_id ?? 0) + 1;
  }

  *#sealProblems(row: number, body: SealBody): Generator<string> {
    const { manifest_sha256, ...content } = body;
    const { first_observation_id: first, last_observation_id: last } = body;
    const before = this.seals.at(-1)?.body;
    if (sha256Hex(canonicalJson(content)) !== manifest_sha256) yield "its hash is not that of its content";
    if (body.previous_manifest_sha256 !== (before?.manifest_sha256 ?? null))
      yield "it does not name the seal before it";
    if (first !== this.#firstUnsealed || last < first || last >= row)
      yield `rows ${first} to ${last} do not follow those sealed before`;
    if (body.leaf_count !== last - first + 1) yield "its number of leaves is not that of its range";
    if (before !== undefined && body.created_at < before.created_at && !this.#isClockCorrected)
      yield "it is older than the seal before it";
    if (!this.#release.ring.all().some(({ keyId }) => keyId === body.signing_key_id))
      yield "its key is not a key of the log";
    if (this.#unsealed.root(body.leaf_count).toString("hex") !== body.merkle_root)
      yield "its Merkle root is not that of its range";
    if (this.#unsealed.at(body.leaf_count - 1)?.toString("hex") !== body.last_ledger_hash)
      yield "its last hash is not that of its last row";
  }
}

const PER_BLOCK = 8192;
const MARK = 256;

/**
 * Hashes one behind the other in blocks of memory: a million Buffers of 32 bytes would keep ten times as much alive. Grows the tree
 * over them on the way, so that a root costs little when it is asked for.
 */
export class HashList {
  #blocks: Uint8Array[] = [];
  #tree = new Frontier();
  #edges: Buffer[] = []; // of the tree, each time that it has grown by MARK
  #first = 0; // how many of the first block are dropped
  #length = 0;

  get length(): number {
    return this.#length;
  }

  push(hash: Buffer): void {
    const at = this.#first + this.#length;
    if (at % PER_BLOCK === 0) this.#blocks.push(new Uint8Array(PER_BLOCK * HASH_BYTES));
    this.#blocks.at(-1)?.set(hash, (at % PER_BLOCK) * HASH_BYTES);
    this.#length += 1;
    this.#grow(hash);
  }

  /** Undefined when there is none at that place. */
  at(index: number): Buffer | undefined {
    const at = this.#first + index;
    const block = index < 0 || index >= this.#length ? undefined : this.#blocks[Math.floor(at / PER_BLOCK)];
    const from = (at % PER_BLOCK) * HASH_BYTES;
    return block && Buffer.from(block.subarray(from, from + HASH_BYTES));
  }

  /** RFC 6962 root over the first `count`, or over all when there are fewer. */
  root(count: number): Buffer {
    if (count >= this.#length) return this.#tree.root();
    const marks = Math.floor(count / MARK);
    const tree = Frontier.fromBytes(marks * MARK, this.#edges[marks - 1] ?? Buffer.alloc(0));
    for (let index = marks * MARK; index < count; index += 1) tree.push(this.at(index) ?? EMPTY_ROOT);
    return tree.root();
  }

  dropFirst(count: number): void {
    const dropped = Math.max(0, Math.min(count, this.#length));
    const at = this.#first + dropped;
    this.#blocks = this.#blocks.slice(Math.floor(at / PER_BLOCK));
    this.#first = at % PER_BLOCK;
    this.#length -= dropped;
    if (dropped === 0) return;
    this.#tree = new Frontier();
    this.#edges = [];
    for (let index = 0; index < this.#length; index += 1) this.#grow(this.at(index) ?? EMPTY_ROOT);
  }

  #grow(hash: Buffer): void {
    this.#tree.push(hash);
    if (this.#tree.size % MARK === 0) this.#edges.push(this.#tree.toBytes());
  }
}

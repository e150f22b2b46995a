import { expect, test } from "vitest";
import { rawLedger } from "../../../tests/support/ledger/raw-ledger.ts";
import { TestLedger } from "../../../tests/support/ledger/small-ledger.ts";
import { sha256Hex } from "../../kernel/hash.ts";
import { canonicalJson } from "../../kernel/text/json.ts";
import { parseTreeHead } from "../../proof/tlog/note.ts";
import { openNote, parseVkey } from "../keys/note.ts";
import type { SealBody } from "../rows/rows.ts";
import type { LedgerWriter } from "../writer.ts";
import { Frontier } from "./merkle.ts";

function leafHashes(writer: LedgerWriter, first: number, last: number): Buffer[] {
  return rawLedger(writer)
    .prepare<[number, number], Buffer>("SELECT leaf_hash FROM rows WHERE id BETWEEN ? AND ? ORDER BY id")
    .pluck()
    .all(first, last);
}

function rootOf(leaves: readonly Buffer[]): string {
  const tree = new Frontier();
  for (const leaf of leaves) tree.push(leaf);
  return tree.root().toString("hex");
}

const range = (seal: SealBody) => [
  seal.checkpoint_type,
  seal.date,
  seal.first_observation_id,
  seal.last_observation_id,
];

test("an empty ledger has nothing to seal", () => {
  using ledger = new TestLedger();
  using writer = ledger.writer();
  expect(writer.seal({ now: true })).toEqual({ seals: [], checkpoint: undefined, rows: 0 });
});

test("each finished day is one range, today waits, and a second run finds nothing", () => {
  using ledger = new TestLedger();
  using writer = ledger.writer();
  ledger.appendAt(writer, "2026-05-01T00:00:00Z", 2);
  ledger.appendAt(writer, "2026-05-01T23:59:59Z", 1);
  ledger.appendAt(writer, "2026-05-02T00:00:00Z", 4);
  ledger.appendAt(writer, "2026-05-05T08:00:00Z", 5);
  const { seals, checkpoint, rows } = writer.seal({ now: false });
  expect(seals.map(range)).toEqual([
    ["daily", "2026-05-01", 1, 3],
    ["daily", "2026-05-02", 4, 7],
  ]);
  expect(rows).toBe(7);
  expect(checkpoint?.size).toBe(14);
  expect(writer.seal({ now: false }).seals).toEqual([]);
});

test("with now the open rest is sealed, the seals just made included", () => {
  using ledger = new TestLedger();
  using writer = ledger.writer();
  ledger.appendAt(writer, "2026-05-01T12:00:00Z", 3);
  ledger.appendAt(writer, "2026-05-02T12:00:00Z", 2);
  expect(writer.seal({ now: true }).seals.map(range)).toEqual([
    ["daily", "2026-05-01", 1, 3],
    ["on_demand", "2026-05-02", 4, 6],
  ]);
  expect(writer.nextId()).toBe(8);
  expect(writer.seal({ now: true }).seals).toEqual([]);
});

test("a seal's own row is never sealed alone: it joins the next day with content", () => {
  using ledger = new TestLedger();
  using writer = ledger.writer();
  ledger.appendAt(writer, "2026-05-01T12:00:00Z", 2);
  writer.seal({ now: true });
  ledger.time = Date.parse("2026-05-03T01:00:00Z");
  expect(writer.seal({ now: true }).seals).toEqual([]);
  ledger.appendAt(writer, "2026-05-03T12:00:00Z", 2);
  ledger.time = Date.parse("2026-05-04T01:00:00Z");
  expect(writer.seal({ now: true }).seals.map(range)).toEqual([["daily", "2026-05-03", 3, 5]]);
});

test("ranges over many days never overlap, never gape, and chain", () => {
  using ledger = new TestLedger();
  using writer = ledger.writer();
  const all: SealBody[] = [];
  for (let day = 1; day <= 28; day += 1) {
    const date = `2026-05-${String(day).padStart(2, "0")}`;
    if (day % 4 !== 0) ledger.appendAt(writer, `${date}T09:00:00Z`, (day % 5) + 1);
    ledger.time = Date.parse(`${date}T18:00:00Z`);
    if (day % 3 === 0) all.push(...writer.seal({ now: day % 2 === 0 }).seals);
  }
  let [next, previous]: [number, string | null] = [1, null];
  for (const seal of all) {
    expect(seal.first_observation_id).toBe(next);
    expect(seal.leaf_count).toBe(seal.last_observation_id - seal.first_observation_id + 1);
    const leaves = leafHashes(writer, seal.first_observation_id, seal.last_observation_id);
    expect(seal.merkle_root).toBe(rootOf(leaves));
    expect(seal.last_ledger_hash).toBe(leaves.at(-1)?.toString("hex"));
    expect(seal.previous_manifest_sha256).toBe(previous);
    const { manifest_sha256, ...content } = seal;
    expect(manifest_sha256).toBe(sha256Hex(canonicalJson(content)));
    next = seal.last_observation_id + 1;
    previous = manifest_sha256;
  }
  expect(all.length).toBeGreaterThan(10);
  using reader = ledger.reader();
  expect(reader.seals(reader.head().lastRow).map(({ body }) => body)).toEqual(all);
  expect(reader.seals(0)).toEqual([]);
});

test("ranges follow the tree where an erasure came before the rows of earlier days", () => {
  using ledger = new TestLedger();
  using writer = ledger.writer();
  ledger.appendAt(writer, "2026-05-01T12:00:00Z", 3);
  writer.seal({ now: true });
  ledger.time = Date.parse("2026-05-03T10:00:00Z");
  writer.transaction(() =>
    writer.append({ kind: "redaction", body: { rows: [1] }, private: { reason: "safety" } }),
  );
  const append = () => writer.append({ kind: "status", body: { record: 1, status: "claimed" } });
  for (const day of ["2026-05-01", "2026-05-02"])
    writer.transactionDated(Date.parse(`${day}T23:59:59.999Z`), append);
  expect(writer.seal({ now: false }).seals.map(range)).toEqual([
    ["on_demand", "2026-05-03", 4, 5],
    ["daily", "2026-05-01", 6, 6],
    ["daily", "2026-05-02", 7, 7],
  ]);
  using reader = ledger.reader();
  expect(() => [...reader.verifiedRows(10)]).not.toThrow("accepted before");
});

test("the checkpoint signs the whole tree, and names key and origin", () => {
  using ledger = new TestLedger();
  using writer = ledger.writer();
  ledger.appendAt(writer, "2026-05-01T12:00:00Z", 3);
  const first = writer.seal({ now: true });
  ledger.appendAt(writer, "2026-05-01T13:00:00Z", 9);
  const second = writer.seal({ now: true });
  using reader = ledger.reader();
  const verifier = parseVkey(reader.meta.vkey);
  for (const { checkpoint, seals } of [first, second]) {
    const head = parseTreeHead(openNote(checkpoint?.note ?? "", verifier));
    expect(head.origin).toBe("example.org/demo");
    expect(head.size).toBe(checkpoint?.size);
    expect(Buffer.from(head.root).toString("hex")).toBe(rootOf(leafHashes(writer, 1, head.size)));
    expect(seals[0]?.signing_key_id).toBe(verifier.keyId);
    expect(reader.checkpointAt(head.size)?.note).toBe(checkpoint?.note);
  }
  expect(reader.checkpoints().map(({ size }) => size)).toEqual([4, 14]);
  expect(reader.latestCheckpoint()?.size).toBe(14);
});

test("the same rows, clock and randomness give the same ledger", () => {
  const build = () => {
    using ledger = new TestLedger();
    using writer = ledger.writer();
    ledger.appendAt(writer, "2026-05-01T12:00:00Z", 20);
    return writer.seal({ now: true });
  };
  expect(build()).toEqual(build());
});

test("a row that was changed before it was sealed is not signed", () => {
  using ledger = new TestLedger();
  using writer = ledger.writer();
  ledger.appendAt(writer, "2026-05-01T12:00:00Z", 5);
  rawLedger(writer).exec(`UPDATE openings SET body = replace(body, '"claimed"', '"verified"') WHERE row = 3`);
  expect(() => writer.seal({ now: true })).toThrow("row 3: its body or salt does not fit");
  expect(writer.nextId()).toBe(6);
});

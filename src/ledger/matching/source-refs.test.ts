import { expect, test } from "vitest";
import { sighting, testLedger } from "../../../tests/support/ledger/intake-ledger.ts";
import { rawLedger } from "../../../tests/support/ledger/raw-ledger.ts";
import type { LedgerWriter } from "../writer.ts";
import { SourceRefs } from "./source-refs.ts";

const key = (name: string) => Buffer.from(name.padEnd(16, "."));

function refsOf(ledger: LedgerWriter): SourceRefs {
  return new SourceRefs(rawLedger(ledger));
}

function tables(ledger: LedgerWriter): string[][] {
  return ["recent_refs", "source_refs"].map((table) =>
    rawLedger(ledger)
      .prepare<[], string>(
        `SELECT rtrim(CAST(key AS TEXT), '.') || ' ' || coalesce(row, '-') FROM ${table} ORDER BY key`,
      )
      .pluck()
      .all(),
  );
}

test("references are known, and get their rows, in whichever table they are", () => {
  using it = testLedger();
  const refs = refsOf(it.ledger);
  for (const name of ["b", "a"]) refs.add(key(name), key("said"));
  refs.settle(2);
  expect(tables(it.ledger)).toEqual([["a -", "b -"], []]);
  refs.setRow(key("b"), 7);
  refs.settle(1);
  expect(tables(it.ledger)).toEqual([[], ["a -", "b 7"]]);
  refs.add(key("c"), key("else"));
  for (const [name, row] of [
    ["a", 8],
    ["c", 9],
  ] as const)
    refs.setRow(key(name), row);
  expect(tables(it.ledger)).toEqual([["c 9"], ["a 8", "b 7"]]);
  expect(refs.find(key("b"))).toEqual({ row: 7, content: key("said") });
  expect(refs.find(key("c"))).toEqual({ row: 9, content: key("else") });
  expect(refs.find(key("d"))).toBeUndefined();
});

test("what is found in the large table was there before, or moved there: a file that comes again is known", async () => {
  using it = testLedger();
  const lines = [sighting("a"), sighting("b")];
  await it.accept(lines);
  refsOf(it.ledger).settle(0);
  expect(await it.accept([...lines, sighting("c")])).toMatchObject({ known: 2, accepted: 1 });
  const [waiting] = rawLedger(it.ledger).prepare<[], { key: Buffer }>("SELECT key FROM source_refs").all();
  expect(waiting && refsOf(it.ledger).find(waiting.key)).toMatchObject({ row: null });
  await it.takeIn();
  expect(
    tables(it.ledger)
      .flat()
      .every((ref) => /\d$/.test(ref)),
  ).toBe(true);
  expect(waiting && refsOf(it.ledger).find(waiting.key)).toMatchObject({ row: expect.any(Number) });
});

test("a batch that is taken back is forgotten in both tables", async () => {
  using it = testLedger();
  const lines = [sighting("a"), sighting("b")];
  await it.accept(lines.slice(0, 1), { batchLines: 1 });
  refsOf(it.ledger).settle(0);
  await it.accept(lines);
  it.ledger.transaction(() => {
    for (const batch of ["b1", "b2"]) it.ledger.batches.takeBack(batch, it.ledger.now());
  });
  expect(tables(it.ledger)).toEqual([[], []]);
  expect(await it.accept(lines)).toMatchObject({ known: 0, accepted: 2 });
});

/** What a thread prepares must be what the caller would have prepared itself. */
import { fstatSync, openSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, test, vi } from "vitest";
import { sighting, type TestLedger, testLedger } from "../../../tests/support/ledger/intake-ledger.ts";
import { OperatorError } from "../../kernel/errors.ts";
import type { IngestOptions } from "../ingest.ts";
import { ColumnMap } from "./column-map.ts";

const lines = Array.from({ length: 900 }, (_, at) => {
  if (at % 7 === 3) return "{broken";
  if (at % 11 === 5) return sighting(`r${at}`, { lat: 0, lng: 0 });
  const extra = at % 5 === 0 ? { phone: "+1 416 555 0100", website: "https://corner.example" } : {};
  return sighting(`r${at}`, {
    name: `Corner ${at % 40}`,
    asset_type: at % 3 ? "storefront" : "vehicle_wrap",
    ...extra,
  });
});
const bytes = Buffer.from(
  lines.map((line) => (typeof line === "string" ? line : JSON.stringify(line))).join("\n"),
);

async function* chunks(input: Buffer, size = 10_000): AsyncGenerator<Buffer> {
  for (let at = 0; at < input.length; at += size) yield input.subarray(at, at + size);
}

/** The input as a large file, open for reading. */
function largeFile({ home }: TestLedger, input: Buffer): { readonly largeFile: number } {
  const path = join(home, "large");
  writeFileSync(path, input);
  return { largeFile: openSync(path, "r") };
}

const MAP = ColumnMap.parse({ columns: { nowhere: "name" } });

describe("a thread that prepares", () => {
  test.each([
    ["plain", bytes],
    ["gzip", gzipSync(bytes)],
  ])("gives the same rows, counts and rejects, %s", async (_, input) => {
    using inline = testLedger();
    using threaded = testLedger();
    const batchLines = 250;
    const expected = await inline.ingest([], { source: chunks(input), batchLines });
    const summary = await threaded.ingest([], { source: largeFile(threaded, input), batchLines });
    expect(expected.rejected).toBeGreaterThan(100);
    expect(summary).toEqual(expected);
    expect(threaded.rejects).toBe(inline.rejects);
    expect(threaded.rows("observation")).toEqual(inline.rows("observation"));
  });

  test("commits more lines at once than the caller would", async () => {
    const many = Buffer.from("{broken\n".repeat(10_001));
    const commitsOf = async (sourceOf: (it: TestLedger) => IngestOptions["source"]) => {
      using it = testLedger();
      const onCommit = vi.fn();
      await it.ingest([], { source: sourceOf(it), onCommit });
      return onCommit.mock.calls.length;
    };
    expect(await commitsOf(() => chunks(many, 50_000))).toBe(2);
    expect(await commitsOf((it) => largeFile(it, many))).toBe(1);
  });

  test.each([
    ["a stream that ends early", gzipSync(bytes).subarray(0, -9), {}, /end of file.*accepted/],
    ["a map that does not fit", Buffer.from("a,b\n1,2\n"), { map: MAP }, /nowhere/],
  ])("hands on what the operator has to mend: %s", async (_, input, options, message) => {
    using it = testLedger();
    const source = largeFile(it, input);
    const failure = await it.ingest([], { source, ...options }).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(OperatorError);
    expect(String(failure)).toMatch(message);
    expect(() => fstatSync(source.largeFile)).toThrow("EBADF");
  });

  test("ends with the run that fails", async () => {
    using it = testLedger();
    const full = () => {
      throw new Error("no more room");
    };
    const source = largeFile(it, bytes);
    const run = it.ingest([], { source, batchLines: 100, rejects: { write: full } });
    await expect(run).rejects.toThrow("no more room");
    expect(() => fstatSync(source.largeFile)).toThrow("EBADF");
  });
});

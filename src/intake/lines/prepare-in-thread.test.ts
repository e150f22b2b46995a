/** What a thread prepares must be what the caller would have prepared itself. */
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { sighting, testLedger } from "../../../tests/support/ledger/intake-ledger.ts";
import { OperatorError } from "../../kernel/errors.ts";

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

describe("a thread that prepares", () => {
  test.each([
    ["plain", bytes],
    ["gzip", gzipSync(bytes)],
  ])("gives the same rows, counts and rejects, %s", async (_, input) => {
    using inline = testLedger();
    using threaded = testLedger();
    const batchLines = 250;
    const expected = await inline.ingest([], { source: chunks(input), batchLines });
    const summary = await threaded.ingest([], { source: chunks(input), batchLines, isLarge: true });
    expect(expected.rejected).toBeGreaterThan(100);
    expect(summary).toEqual(expected);
    expect(threaded.rejects).toBe(inline.rejects);
    expect(threaded.rows("observation")).toEqual(inline.rows("observation"));
  });

  test("is given as much as one batch needs, and never reads far ahead of the commits", async () => {
    using it = testLedger();
    const wide = Array.from({ length: 600 }, (_, at) => ({
      ...sighting(`w${at}`),
      note: "x".repeat(60_000),
    }));
    let given = 0;
    async function* counted() {
      for (const line of wide) {
        const chunk = Buffer.from(`${JSON.stringify(line)}\n`);
        given += chunk.length;
        yield chunk;
      }
    }
    const ahead: number[] = [];
    const onCommit = (_: unknown, bytesRead: number) => ahead.push(given - bytesRead);
    const summary = await it.ingest([], { source: counted(), batchLines: 250, isLarge: true, onCommit });
    expect(summary).toMatchObject({ read: 600, accepted: 600 }); // a batch of 15 MB, over what may be under way
    expect(Math.max(...ahead)).toBeLessThan(16 << 20);
  });

  test("commits more lines at once than the caller would", async () => {
    const many = Buffer.from("{broken\n".repeat(10_001));
    const commitsOf = async (isLarge: boolean) => {
      using it = testLedger();
      let commits = 0;
      const onCommit = () => {
        commits += 1;
      };
      await it.ingest([], { source: chunks(many, 50_000), isLarge, onCommit });
      return commits;
    };
    expect(await commitsOf(false)).toBe(2);
    expect(await commitsOf(true)).toBe(1);
  });

  test("takes all complete lines of a stream that breaks, and says so", async () => {
    using it = testLedger();
    async function* broken() {
      yield* chunks(Buffer.from(`${JSON.stringify(sighting("a"))}\n{"half`));
      throw new Error("cable pulled");
    }
    await expect(it.ingest([], { source: broken(), isLarge: true })).rejects.toThrow(
      /cable pulled.*1 accepted/,
    );
    expect(it.ledger.pendingCounts().waiting).toBe(1);
  });

  test("hands on what the operator has to mend", async () => {
    using it = testLedger();
    const map = {
      columns: { nowhere: "name" as const },
      templates: {},
      constants: {},
      defaults: {},
      values: {},
      date_formats: ["iso"],
      delimiter: ",",
    };
    const run = it.ingest([], { source: chunks(Buffer.from("a,b\n1,2\n")), map, isLarge: true });
    await expect(run).rejects.toThrow(OperatorError);
    await expect(run).rejects.toThrow(/nowhere/);
  });

  test("ends with the run that fails", async () => {
    using it = testLedger();
    const full = () => {
      throw new Error("no more room");
    };
    const run = it.ingest([], {
      source: chunks(bytes),
      batchLines: 100,
      isLarge: true,
      rejects: { write: full },
    });
    await expect(run).rejects.toThrow("no more room");
  });
});

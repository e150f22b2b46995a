import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { MAX_LINE_BYTES, newReadState, readLines } from "./read-lines.ts";

async function read(bytes: Uint8Array, pieces: readonly number[] = [], failure?: Error) {
  async function* source(): AsyncGenerator<Uint8Array> {
    let at = 0;
    for (const size of pieces) {
      if (at < bytes.length) yield bytes.subarray(at, at + size);
      at += size;
    }
    if (at < bytes.length) yield bytes.subarray(at);
    if (failure !== undefined) throw failure;
  }
  const state = newReadState();
  const lines: [number, string][] = [];
  for await (const part of readLines(source(), state))
    for (const line of part) lines.push([line.number, "text" in line ? line.text : `!${line.fault.reason}`]);
  return { lines, ...state };
}

describe("lines", () => {
  test("byte order mark, CRLF, blank lines, and a last line without end", async () => {
    expect((await read(Buffer.from("\uFEFFa\r\n\r\n  \nb\n\nc"))).lines).toEqual([
      [1, "a"],
      [4, "b"],
      [6, "c"],
    ]);
    expect((await read(Buffer.from(""))).lines).toEqual([]);
  });

  test("a line that is too long, and one that is not UTF-8, cost themselves only", async () => {
    const long = Buffer.alloc(3 * MAX_LINE_BYTES, "x");
    const broken = Buffer.from([0x61, 0xff, 0x62]);
    const end = Buffer.from("\n");
    const bytes = Buffer.concat([
      Buffer.from("a\n"),
      long,
      end,
      Buffer.from("b\n"),
      broken,
      end,
      Buffer.from("c\n"),
      long,
    ]);
    const expected = [
      [1, "a"],
      [2, "!line_too_long"],
      [3, "b"],
      [4, "!invalid_encoding"],
      [5, "c"],
      [6, "!line_too_long"],
    ];
    expect((await read(bytes)).lines).toEqual(expected);
    expect((await read(bytes, Array(50).fill(9000))).lines).toEqual(expected);
  });

  test("exactly 64 kB is not too long", async () => {
    const longest = "é".repeat(MAX_LINE_BYTES / 2);
    expect((await read(Buffer.from(`a\n${longest}\nb`))).lines[1]).toEqual([2, longest]);
    expect((await read(Buffer.from(`a\n${longest}x\nb`))).lines[1]).toEqual([2, "!line_too_long"]);
    expect((await read(Buffer.from(longest), [10])).lines).toEqual([[1, longest]]);
  });

  test("any text in any pieces, plain or gzip, gives the same lines", async () => {
    const text = fc.array(fc.string({ unit: "grapheme", maxLength: 20 }), { maxLength: 20 });
    const pieces = fc.array(fc.integer({ min: 1, max: 30 }), { maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(text, pieces, fc.boolean(), async (parts, sizes, zip) => {
        const all = parts.map((part) => part.replace(/[\r\n\uFEFF]/g, ""));
        const bytes = Buffer.from(all.join("\n"));
        if (bytes[0] === 0x1f) return;
        const expected = all.flatMap((line, at) => (line.trim() === "" ? [] : [[at + 1, line]]));
        const found = await read(zip ? gzipSync(bytes) : bytes, sizes);
        expect(found.lines).toEqual(expected);
        expect(found.damage).toBeUndefined();
      }),
    );
  });
});

describe("damage", () => {
  const lines = Array.from({ length: 20_000 }, (_, at) => `line ${(at * 7919) % 20_011}`);
  const zipped = gzipSync(lines.join("\n"));

  test("wherever a gzip is cut, complete lines come and the piece at the cut does not", async () => {
    let most = 0;
    for (const share of [0.05, 0.3, 0.77, 0.999]) {
      const found = await read(zipped.subarray(0, Math.floor(zipped.length * share)), [100, 5000]);
      expect(found.damage).toMatch(/unexpected end of file/);
      expect(found.lines.map(([, text]) => text)).toEqual(lines.slice(0, found.lines.length));
      expect(found.lines.length).toBeGreaterThan(most);
      most = found.lines.length;
    }
    expect(most).toBeGreaterThan(19_000);
  });

  test("a changed byte is noticed", async () => {
    const changed = Buffer.from(zipped);
    changed[changed.length - 6] = (changed[changed.length - 6] ?? 0) ^ 1;
    expect((await read(changed)).damage).toBeDefined();
  });

  test("several gzip members are one file", async () => {
    const found = await read(Buffer.concat([gzipSync("a\nb\n"), gzipSync("c\n")]), [25]);
    expect(found).toMatchObject({
      damage: undefined,
      lines: [
        [1, "a"],
        [2, "b"],
        [3, "c"],
      ],
    });
  });

  test("a source that breaks is damage too", async () => {
    const found = await read(Buffer.from("a\nb\nhal"), [3], new Error("connection lost"));
    expect(found).toMatchObject({
      damage: "connection lost",
      lines: [
        [1, "a"],
        [2, "b"],
      ],
      bytesRead: 7,
    });
  });
});

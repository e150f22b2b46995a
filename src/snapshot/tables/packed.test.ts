import { describe, expect, test } from "vitest";
import { blob, boolean, integer, json, real, text } from "../../kernel/table.ts";
import { lastRead, packer } from "./packed.ts";

describe("packed", () => {
  const visits = {
    id: integer(),
    place: text<"here" | "there">(),
    note: text().nullable(),
    isNight: boolean(),
    score: real().nullable(),
    tags: json<readonly string[]>(),
  };
  const { pack, unpack } = packer(visits);

  const visit = { id: 7, place: "here", note: null, isNight: true, score: 0.125, tags: ["a"] } as const;
  const rows = [
    visit,
    { ...visit, id: 3, place: "there", note: "wet", isNight: false, score: null },
    { ...visit, id: 9, note: "wet", score: -1e-7, tags: [] },
  ] as const;

  test.each([0, 1, 2, 3])("%i rows come back as they were packed", (count) => {
    const some = rows.slice(0, count);
    expect(unpack(pack(some), count)).toEqual(some);
  });

  test("what rows share stands once, and a text that returns is a number", () => {
    expect(JSON.parse(pack(rows))).toEqual({
      id: [7, 3, 9],
      place: { of: ["here", "there"], at: [0, 1, 0] },
      note: { of: [null, "wet"], at: [0, 1, 1] },
      isNight: [1, 0, 1],
      score: [0.125, null, -1e-7],
      tags: { of: ['["a"]', "[]"], at: [0, 0, 1] },
    });
    expect(JSON.parse(pack([visit, visit])).note).toEqual({ all: null });
  });

  test("a blob and a missing value are refused", () => {
    expect(() => packer({ hash: blob() }).pack([{ hash: new Uint8Array(1) }])).toThrow(
      "hash of a row is missing or a blob",
    );
    const incomplete: object = { id: 1 };
    const loose: { pack(rows: readonly object[]): string } = { pack };
    expect(() => loose.pack([incomplete])).toThrow("place of a row is missing or a blob");
  });
});

describe("last read", () => {
  test("the same key is read once in a row, and every other one anew", () => {
    const keys: string[] = [];
    const read = lastRead((key: string) => {
      keys.push(key);
      return key === "none" ? undefined : { key };
    });
    expect(read("a")).toBe(read("a"));
    expect([read("none"), read("none"), read("b"), read("a")]).toEqual([
      undefined,
      undefined,
      { key: "b" },
      { key: "a" },
    ]);
    expect(keys).toEqual(["a", "none", "b", "a"]);
  });

  test("a read that fails is tried again", () => {
    let fails = true;
    const read = lastRead((key: number) => {
      if (fails) throw new Error("busy");
      return key;
    });
    expect(() => read(1)).toThrow("busy");
    fails = false;
    expect(read(1)).toBe(1);
  });
});

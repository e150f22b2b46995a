import { expect, test } from "vitest";
import { lastRead } from "./last-read.ts";

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

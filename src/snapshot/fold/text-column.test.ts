import { expect, test } from "vitest";
import { TextColumn } from "./text-column.ts";

const plain = (text: string) => text;
const words = (rows: number) => new Uint32Array(new SharedArrayBuffer(4 * (rows + 1)));

function columnOf(texts: readonly string[]): TextColumn<string> {
  const column = new TextColumn(words(texts.length), plain);
  for (const [at, text] of texts.entries()) column.set(at + 1, text);
  return column;
}

const read = (column: TextColumn<string>, count: number) =>
  Array.from({ length: count }, (_, at) => column.at(at + 1));

/** More than a column of one byte has, and more than are decoded at a time. */
const MANY = Array.from({ length: 20_000 }, (_, at) => `text ${at % 17_000}`);

test.each([
  ["one", ["a", "a", "a"]],
  ["few", ["a", "b", "a"]],
  ["many", MANY],
])("%s texts, kept and loaded, and read by another thread", (_, texts) => {
  const column = columnOf(texts);
  expect(read(column, texts.length)).toEqual(texts);
  const half = texts.length >> 1;
  const loaded = new TextColumn(words(texts.length), plain);
  loaded.load(
    0,
    column.kept(0, half, () => true),
  );
  loaded.load(
    half,
    column.kept(half, texts.length - half, () => true),
  );
  expect(read(loaded, texts.length)).toEqual(texts);
  const { numbers, texts: shared } = loaded.share();
  expect(read(new TextColumn(numbers, plain, shared), texts.length)).toEqual(texts);
});

test("what is kept has no text of a row that is no observation", () => {
  const { texts, numbers } = columnOf(["gone", "stays", "gone too"]).kept(0, 3, (at) => at === 1);
  expect(Buffer.from(texts.bytes).toString()).toBe("stays");
  expect([...numbers]).toEqual([0, 0, 0]);
});

test("a text that the column does not have is refused, in another thread too", () => {
  const parse = (text: string) => {
    if (text !== "known") throw new RangeError(text);
    return text;
  };
  const kept = columnOf(["unknown"]).kept(0, 1, () => true);
  expect(() => new TextColumn(words(1), parse).load(0, kept)).toThrow("unknown");
  const { numbers, texts } = columnOf(["unknown"]).share();
  expect(() => new TextColumn(numbers, parse, texts).at(1)).toThrow("unknown");
  expect(() => columnOf(["a"]).at(2)).toThrow(RangeError);
});

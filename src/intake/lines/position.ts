import { z } from "zod";

/** A column with both coordinates in one text, such as `51.05, 3.72` or `POINT(3.72 51.05)`. */
export const Position = z.strictObject({ column: z.string(), order: z.enum(["lat lng", "lng lat"]) });
export type Position = z.infer<typeof Position>;

const NUMBER = String.raw`([+-]?\d{1,3}[.,]\d+)`;
const PAIR = new RegExp(String.raw`^(?:POINT\s*)?[([]?\s*${NUMBER}\s*[,;/ ]\s*${NUMBER}\s*[)\]]?$`, "i");

/** The two numbers of a text, as they stand there; undefined for what has others, or letters. */
export function pairOf(text: string): readonly [first: string, second: string] | undefined {
  const [, first, second] = PAIR.exec(text) ?? [];
  return first === undefined || second === undefined ? undefined : [first, second];
}

/** What stands for a coordinate in such a text; all of it where it is no pair, so that what is wrong can be told. */
export function coordinateOf(text: string, field: "lat" | "lng", { order }: Position): string {
  return pairOf(text)?.[order.startsWith(field) ? 0 : 1] ?? text;
}

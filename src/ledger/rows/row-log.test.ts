import fc from "fast-check";
import { expect, test } from "vitest";
import { pooled } from "./row-log.ts";

/** Random bytes that can be told apart: a running number in each four bytes. */
function numbered(): (size: number) => Buffer {
  let next = 0;
  return (size) => {
    const bytes = Buffer.alloc(size);
    for (let at = 0; at + 4 <= size; at += 4) bytes.writeUInt32LE(next++, at);
    return bytes;
  };
}

test("no byte is handed out twice, in whatever sizes they are asked for", () => {
  const sizes = fc.array(
    fc.oneof(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 10_000, max: 30_000 })),
    { maxLength: 60 },
  );
  fc.assert(
    fc.property(sizes, (words) => {
      const random = pooled(numbered());
      const seen = new Set<number>();
      let total = 0;
      for (const count of words) {
        const bytes = random(count * 4);
        expect(bytes).toHaveLength(count * 4);
        for (let at = 0; at < bytes.length; at += 4) seen.add(bytes.readUInt32LE(at));
        total += count;
      }
      expect(seen.size).toBe(total);
    }),
    { numRuns: 30 },
  );
});

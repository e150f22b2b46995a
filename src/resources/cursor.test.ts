import fc from "fast-check";
import { expect, test } from "vitest";
import { PublicError } from "../kernel/errors.ts";
import { readCursor, writeCursor } from "./cursor.ts";

const place = fc.record({
  snapshotId: fc.uuid(),
  filters: fc.array(fc.option(fc.string({ maxLength: 200 })), { maxLength: 3 }),
  offset: fc.integer({ min: 1 }),
  after: fc.option(fc.integer({ min: 1 }), { nil: undefined }),
});

test("a cursor reads back as it was written", () => {
  fc.assert(
    fc.property(place, (it) => {
      expect(readCursor(writeCursor(it), it.filters)).toEqual(it);
    }),
  );
});

test("a cursor is refused under other filters", () => {
  fc.assert(
    fc.property(place, place, (it, other) => {
      fc.pre(JSON.stringify(it.filters) !== JSON.stringify(other.filters));
      expect(() => readCursor(writeCursor(it), other.filters)).toThrow(/other filters/);
    }),
  );
});

test("any other text is a 400", () => {
  const text = fc.oneof(
    fc.string(),
    fc.string({ unit: "binary" }),
    fc.base64String(),
    fc.json().map((json) => Buffer.from(json).toString("base64url")),
    place.map((it) => `${writeCursor(it)}=`),
    place.map((it) => writeCursor({ ...it, offset: -it.offset })),
    place.map((it) => writeCursor({ ...it, offset: it.offset + 0.5 })),
    place.map((it) => writeCursor({ ...it, after: -it.offset })),
    place.map((it) => writeCursor({ ...it, snapshotId: `${it.snapshotId}0` })),
  );
  fc.assert(
    fc.property(text, (cursor) => {
      expect(() => readCursor(cursor, [])).toThrow(PublicError);
      expect(() => readCursor(cursor, [])).toThrow(expect.objectContaining({ status: 400 }));
    }),
  );
});

test("a cursor stays short whatever the filters are", () => {
  const filters = Array.from({ length: 12 }, () => "東".repeat(200));
  const largest = Number.MAX_SAFE_INTEGER;
  const cursor = writeCursor({
    snapshotId: crypto.randomUUID(),
    filters,
    offset: largest,
    after: largest,
  });
  expect(cursor.length).toBeLessThan(150);
  expect(readCursor(cursor, filters).offset).toBe(Number.MAX_SAFE_INTEGER);
});

test("a text too long to be a cursor is not even decoded", () => {
  const cursor = writeCursor({ snapshotId: crypto.randomUUID(), filters: [], offset: 1 });
  expect(() => readCursor(cursor + "A".repeat(200), [])).toThrow(/malformed/);
});

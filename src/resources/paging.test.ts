import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import {
  fakeCity,
  fakeEvent,
  fakeObservation,
  fakeRecord,
  release,
} from "../../tests/support/release/fake-rows.ts";
import { fakeContext } from "../../tests/support/release/fake-snapshot.ts";
import { PublicError } from "../kernel/errors.ts";
import { cityIndex } from "./cities/city-index.ts";
import { pulse } from "./cities/pulse.ts";
import type { PathValues, ReadContext, Resource } from "./define.ts";
import { readCursor, writeCursor } from "./paging.ts";
import { observations } from "./records/observations.ts";
import { search } from "./records/search.ts";

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

/** What holds for every list that is read page by page. */

const SIZE = 23;
const AGES = Array.from({ length: SIZE }, (_, at) => at);

const content = {
  records: AGES.map((at) => fakeRecord(at + 1)),
  observations: AGES.map((at) => fakeObservation(100 - at, at, at % 5 === 0 ? { state: "rejected" } : {})),
  events: AGES.map((at) => fakeEvent(`evt_${at}`, at)),
};
const context = fakeContext(content);

/** The same lists in a newer release, in which they are empty. */
const emptied = fakeContext({
  release: { ...release, releaseId: crypto.randomUUID() },
  cities: [fakeCity(1, "Alpha", { snapshotId: crypto.randomUUID() })],
  records: [fakeRecord(1)],
  observations: [],
  events: [],
});
const newer = { ...context, snapshot: emptied.snapshot };

interface List {
  readonly name: string;
  readonly resource: Resource;
  readonly path: PathValues;
  readonly nowhere?: PathValues; // a path of the same kind that leads to nothing
  readonly snapshotId: string;
  readonly items: string; // the member that holds the rows
  readonly id: string; // the member of a row that tells it from others
  readonly ids: readonly (string | number)[]; // all of them, in order
  readonly filters: readonly (string | null)[];
  readonly others: readonly Record<string, string>[]; // queries that choose other rows
}

const { snapshotId } = fakeCity(1, "Alpha");

const lists: readonly List[] = [
  {
    name: "city index",
    resource: cityIndex,
    path: { city: "alpha" },
    nowhere: { city: "gamma" },
    items: "rankings",
    id: "public_id",
    ids: content.records.map(({ publicId }) => publicId),
    filters: ["city index", "alpha", null, null, null, null, "rank"],
    snapshotId,
    others: [{ industry: "I" }, { ranking_state: "ranked" }, { claim_status: "unclaimed" }, { sort: "name" }],
  },
  {
    name: "observations",
    resource: observations,
    path: { public_id: "demo_1" },
    nowhere: { public_id: "demo_nobody" },
    items: "observations",
    id: "id",
    ids: content.observations.map(({ id }) => id),
    filters: ["observations", "demo_1", null],
    snapshotId,
    others: [{ since: "2026-01-01" }],
  },
  {
    name: "pulse",
    resource: pulse,
    path: { city: "alpha" },
    nowhere: { city: "gamma" },
    items: "events",
    id: "id",
    ids: content.events.map(({ id }) => id),
    filters: ["pulse", "alpha", null],
    snapshotId,
    others: [{ since: "2026-01-01" }],
  },
  {
    name: "search",
    resource: search,
    path: {},
    items: "results",
    id: "public_id",
    ids: content.records.map(({ publicId }) => publicId),
    filters: ["search", null, null, null, null, null, null, null],
    snapshotId: release.releaseId,
    others: [
      { name: "Record" },
      { city: "alpha" },
      { industry: "I" },
      { name: "Record", name_match: "contains" },
    ],
  },
];

const Page = z.looseObject({
  total_count: z.int(),
  has_more: z.boolean(),
  next_cursor: z.string().nullable(),
});

function readPage({ resource, path, items, id }: List, from: ReadContext, query: Record<string, string>) {
  const answer = Page.parse(resource.read(from, path, query));
  const rows = z.array(z.looseObject({})).parse(answer[items]);
  return { ...answer, ids: rows.map((row) => row[id]) };
}

function nextCursor(list: List, query: Record<string, string> = {}): string {
  return z.string().parse(readPage(list, context, { ...query, limit: "2" }).next_cursor);
}

describe.each(lists)("$name", (list) => {
  test("walking all pages, whatever their sizes, returns every row once and in order", () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 30 }), { minLength: SIZE, maxLength: SIZE });
    fc.assert(
      fc.property(sizes, (limits) => {
        const seen: unknown[] = [];
        let cursor: string | null = null;
        for (const limit of limits) {
          const query = { limit: String(limit), ...(cursor === null ? {} : { cursor }) };
          const page = readPage(list, context, query);
          seen.push(...page.ids);
          expect(page.total_count).toBe(SIZE);
          expect(page.has_more).toBe(seen.length < SIZE);
          expect(page.next_cursor === null).toBe(!page.has_more);
          cursor = page.next_cursor;
          if (cursor === null) break;
        }
        expect(seen).toEqual(list.ids);
      }),
    );
  });

  test("later pages come from the release of the first one", () => {
    const cursor = nextCursor(list);
    const page = readPage(list, newer, { cursor, limit: "3" });
    expect(page.ids).toEqual(list.ids.slice(2, 5));
    expect(page.total_count).toBe(SIZE);
    expect(readPage(list, newer, {}).ids).not.toContain(list.ids[2]);
  });

  test("a cursor whose snapshot is gone is a 410 that says what to do", () => {
    expect(() => readPage(list, emptied, { cursor: nextCursor(list) })).toThrow(
      new PublicError(410, "the cursor's snapshot has expired: restart without a cursor", {
        code: "cursor_expired",
      }),
    );
  });

  test("a cursor answers neither other filters nor another list", () => {
    const cursor = nextCursor(list);
    for (const query of list.others) {
      expect(() => readPage(list, context, { ...query, cursor })).toThrow(/^cursor .*other filters/);
      const filtered = nextCursor(list, query);
      expect(() => readPage(list, context, { cursor: filtered })).toThrow(/other filters/);
      expect(readPage(list, context, { ...query, cursor: filtered }).ids).not.toEqual([]);
    }
    for (const other of lists.filter(({ name }) => name !== list.name))
      expect(() => readPage(other, context, { cursor })).toThrow(/other filters/);
  });

  const { nowhere } = list;
  test.skipIf(nowhere === undefined)("what is not there is a 404 whatever the cursor says", () => {
    const path = nowhere ?? {};
    expect(() => readPage({ ...list, path }, context, { cursor: nextCursor(list) })).toThrow(
      expect.objectContaining({ status: 404 }),
    );
  });

  test("no cursor text breaks it", () => {
    const { snapshotId, filters } = list;
    const madeUp = (offset: number, after?: number) => writeCursor({ snapshotId, filters, offset, after });
    const text = fc.oneof(
      fc.string(),
      fc.base64String(),
      fc.integer().map((offset) => madeUp(offset)),
      fc.nat(SIZE + 5).map((offset) => madeUp(offset)),
      fc.tuple(fc.integer(), fc.integer()).map(([offset, after]) => madeUp(offset, after)),
    );
    fc.assert(
      fc.property(text, (cursor) => {
        try {
          expect(readPage(list, context, { cursor }).ids.length).toBeGreaterThan(0);
        } catch (error) {
          if (!(error instanceof PublicError)) throw error;
          expect(error).toMatchObject({ status: 400, message: expect.stringMatching(/^cursor /) });
        }
      }),
    );
  });
});

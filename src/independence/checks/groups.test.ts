import { describe, expect, test } from "vitest";
import { LAST_DAY, placeAt, registryOf, TraceBook } from "../../../tests/support/independence/traces.ts";
import { judge } from "../judge.ts";
import { INDEPENDENCE } from "../parameters.ts";
import type { CheckCode, Registry, ReviewItem } from "../trace.ts";

const MINUTE = 60_000;

function itemsOf(book: TraceBook, check: CheckCode, registry: Registry): readonly ReviewItem[] {
  return judge(book.traces, registry, LAST_DAY).items.filter((item) => item.check === check);
}

const names = (count: number) => Array.from({ length: count }, (_, index) => `o${index}`);

/** Establishes principals by verified rows about other records, one principal a day. */
function establish(book: TraceBook, principals: readonly string[], day: number): void {
  principals.forEach((observer, place) => {
    for (let record = 0; record < INDEPENDENCE.standing.verifiedRecords; record++) {
      const own = 10_000 + 100 * place + record;
      book.add({
        observer,
        day: day + place,
        record: own,
        asset: own,
        verdict: "verified",
        ...placeAt(record * 900, place * 900),
      });
    }
  });
}

describe("a burst of new principals on one record", () => {
  function puppets(others: readonly string[]): TraceBook {
    const book = new TraceBook();
    for (const [place, observer] of others.entries()) {
      book.add({ observer, record: 1, asset: 1, ...placeAt(4990 - place * 5.3, 7) });
    }
    establish(book, names(4), 1);
    names(4).forEach((observer, place) => {
      book.add({ observer, day: 6 + place, record: 1, asset: 1, ...placeAt(5000 + place * 9.3, 7) });
      book.add({ observer, day: 30 + place, record: 1, asset: 1, ...placeAt(5001 + place * 9.3, 7) });
    });
    return book;
  }

  test("lets the first two count, and sets aside all rows of the others", () => {
    const book = puppets([]);
    const { setAside } = judge(book.traces, registryOf([]), LAST_DAY);
    const counted = book.traces.filter(({ record, row }) => record === 1 && !setAside.has(row));
    expect(new Set(counted.map(({ principal }) => principal))).toEqual(new Set(["o0", "o1"]));
    expect(itemsOf(book, "burst", registryOf([]))).toMatchObject([{ record: 1, observers: names(4) }]);
  });

  test("is none where others carry the record", () => {
    const book = puppets(["v1", "v2"]);
    expect(judge(book.traces, registryOf(["v1", "v2"]), LAST_DAY).setAside.size).toBe(0);
  });

  test("ends for a principal once a review restores one of its rows", () => {
    const traces = puppets([]).traces.map((trace) => ({
      ...trace,
      isRestored: trace.observer === "o2" && trace.record === 1,
    }));
    const { setAside } = judge(traces, registryOf([]), LAST_DAY);
    expect(traces.some(({ row, observer }) => observer === "o2" && setAside.has(row))).toBe(false);
    expect(traces.some(({ row, observer }) => observer === "o3" && setAside.has(row))).toBe(true);
  });

  test("finds puppets that saw the record before they were established", () => {
    const book = new TraceBook();
    names(3).forEach((observer, place) => {
      book.add({ observer, record: 1, asset: 1, day: place, ...placeAt(5000 + place * 9.3, 7) });
    });
    establish(book, names(3), 20);
    expect(itemsOf(book, "burst", registryOf([]))).toHaveLength(1);
  });
});

describe("a ring of owners", () => {
  /** Each owner sees the records of all others, and `cover` records of the town that honest scouts see too. */
  function ring(owners: number, cover: number): TraceBook {
    const book = new TraceBook();
    const all = names(owners);
    all.forEach((observer, owner) => {
      all.forEach((_, record) => {
        if (record !== owner)
          book.add({
            observer,
            day: owner,
            isBareDate: true,
            record,
            asset: record,
            ...placeAt(record * 800 + owner * 9.1, 3),
          });
      });
      for (let seen = 0; seen < cover; seen++) {
        const record = 1000 + ((owner * 7 + seen * 3) % 40);
        book.add({
          observer,
          day: 10 + owner,
          isBareDate: true,
          record,
          asset: record,
          ...placeAt(record * 100 + owner * 9.1, 9000),
        });
      }
    });
    for (const [place, scout] of ["s1", "s2", "s3"].entries()) {
      for (let record = 1000; record < 1040; record++) {
        book.add({
          observer: scout,
          day: record % 30,
          record,
          asset: record,
          ...placeAt(record * 100 + 3.3, 9004 + place * 5.1),
          instant: 0,
          isBareDate: true,
        });
      }
    }
    return book;
  }

  const registry = registryOf([...names(12), "s1", "s2", "s3"]);
  const affiliations = names(12).map((principal, record) => ({ principal, record }));
  const declared = { ...registry, affiliations };

  test.each([
    [5, 0],
    [5, 4],
    [4, 4],
    [8, 6],
  ])("of %i, unknown as owners, with %i other records each, is raised", (owners, cover) => {
    expect(itemsOf(ring(owners, cover), "ring", registry)).toMatchObject([{ observers: names(owners) }]);
  });

  test.each([
    [2, 0],
    [2, 30],
    [5, 30],
  ])("of %i known owners is raised, whatever else they see (%i)", (owners, cover) => {
    const items = itemsOf(ring(owners, cover), "ring", declared);
    expect(items.map(({ observers }) => [...observers].sort())).toContainEqual(names(owners));
  });

  test("is none where scouts of one quarter share dozens of records", () => {
    expect(itemsOf(ring(0, 0), "ring", declared)).toEqual([]);
  });

  test("is none where others carry the records", () => {
    const book = ring(2, 0);
    for (const [place, observer] of ["s1", "s2", "s3"].entries()) {
      for (const record of [0, 1])
        book.add({
          observer,
          day: 40,
          record,
          asset: record,
          ...placeAt(record * 800 + 31.7, 9 + place * 5.1),
        });
    }
    expect(itemsOf(book, "ring", declared)).toEqual([]);
  });
});

describe("copies of public cells", () => {
  /** A scout sees twelve storefronts; then another observer reports the same records, so many meters off. */
  function copied(meters: number): TraceBook {
    const book = new TraceBook();
    for (let shop = 0; shop < 12; shop++) {
      book.add({
        observer: "scout",
        isBareDate: true,
        record: shop,
        asset: shop,
        ...placeAt(shop * 2000, 0),
        cell: `cell ${shop}`,
      });
    }
    for (let shop = 0; shop < 12; shop++) {
      const instant = 1.8e12 + shop * 40 * MINUTE;
      book.add({
        observer: "copy",
        day: 3,
        record: shop,
        asset: 100 + shop,
        ...placeAt(shop * 2000 + meters, 0),
        cell: `cell ${shop}`,
        instant,
        isBareDate: true,
      });
    }
    return book;
  }

  test("are raised where the exact places are guessed", () => {
    expect(itemsOf(copied(400), "copied_public", registryOf(["scout"]))).toMatchObject([
      { observers: ["copy"] },
    ]);
  });

  test("are none where the places agree, or the reference is not established", () => {
    expect(itemsOf(copied(60), "copied_public", registryOf(["scout"]))).toEqual([]);
    expect(itemsOf(copied(400), "copied_public", registryOf([]))).toEqual([]);
  });

  test("are forgiven who discovered something that was confirmed", () => {
    const book = copied(400);
    book.add({ observer: "copy", day: 5, record: 50, asset: 500, ...placeAt(0, 4000) });
    book.add({ observer: "scout", day: 6, record: 50, asset: 500, ...placeAt(3.3, 4000) });
    expect(itemsOf(book, "copied_public", registryOf(["scout"]))).toEqual([]);
  });
});

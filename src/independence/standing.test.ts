import { describe, expect, test } from "vitest";
import {
  LAST_DAY,
  placeAt,
  registryOf,
  TraceBook,
  type TraceFields,
} from "../../tests/support/independence/traces.ts";
import { judge } from "./judge.ts";
import type { Registry } from "./trace.ts";

const FINDS = 4;

/** A newcomer finds signs on several days, and `confirmers` see them later in turns. */
function discover(
  book: TraceBook,
  newcomer: string,
  confirmers: readonly TraceFields[],
  day = 0,
  first = 1,
): void {
  for (let find = 0; find < FINDS; find++) {
    const sign = { asset: first + find, ...placeAt(find * 1500, first * 3) };
    book.add({ observer: newcomer, day: day + find, ...sign });
    const confirmer = confirmers[find % confirmers.length];
    if (confirmer !== undefined)
      book.add({ day: day + find, ...sign, ...placeAt(find * 1500 + 7.3, first * 3), ...confirmer });
  }
}

const by = (observer: string): TraceFields => ({ observer });

function isEstablished(book: TraceBook, principal: string, registry: Registry): boolean {
  const { established, setAside } = judge(book.traces, registry, LAST_DAY);
  const counted = book.traces.some((trace) => trace.principal === principal && !setAside.has(trace.row));
  expect(counted).toBe(established.has(principal));
  return counted;
}

const VOUCHED = registryOf(["v1", "v2"]);

/** Confirming rows wait a day, so that the traces do not coincide. */
function confirmedLater(
  book: TraceBook,
  newcomer: string,
  confirmers: readonly TraceFields[],
  first = 1,
): void {
  for (let find = 0; find < FINDS; find++) {
    book.add({ observer: newcomer, day: find, asset: first + find, ...placeAt(find * 1500, first * 3) });
  }
  for (let find = 0; find < FINDS; find++) {
    const confirmer = confirmers[find % confirmers.length] ?? {};
    book.add({ day: 10 + find, asset: first + find, ...placeAt(find * 1500 + 7.3, first * 3), ...confirmer });
  }
}

describe("an observer of an individual source", () => {
  test("does not count at first, and counts where the operator vouches for it", () => {
    const book = new TraceBook();
    book.add({ observer: "new" });
    expect(isEstablished(book, "new", registryOf([]))).toBe(false);
    expect(isEstablished(book, "new", registryOf(["new"]))).toBe(true);
  });

  test("is established by verified rows about five records", () => {
    const book = new TraceBook();
    for (const record of [1, 2, 2, 3, 4]) book.add({ observer: "new", record, verdict: "verified" });
    expect(isEstablished(book, "new", VOUCHED)).toBe(false);
    book.add({ observer: "new", record: 5, verdict: "verified" });
    expect(isEstablished(book, "new", VOUCHED)).toBe(true);
  });

  test("is not established by verified rows where another was rejected, until many are verified", () => {
    const book = new TraceBook();
    book.add({ observer: "new", record: 11, verdict: "rejected" });
    for (let record = 1; record <= 9; record++) book.add({ observer: "new", record, verdict: "verified" });
    expect(isEstablished(book, "new", VOUCHED)).toBe(false);
    book.add({ observer: "new", record: 10, verdict: "verified" });
    expect(isEstablished(book, "new", VOUCHED)).toBe(true);
  });

  test("is established by discoveries that two others confirm", () => {
    const book = new TraceBook();
    confirmedLater(book, "new", [by("v1"), by("v2")]);
    expect(isEstablished(book, "new", VOUCHED)).toBe(true);
  });

  test("is established by a registered collective source alone, not by built-in ones", () => {
    const feed = { observer: "van", principal: "feed", isCollective: true };
    const registered = new TraceBook();
    confirmedLater(registered, "new", [{ ...feed, source: "town-feed" }]);
    expect(isEstablished(registered, "new", VOUCHED)).toBe(true);
    const builtIn = new TraceBook();
    confirmedLater(builtIn, "new", [{ ...feed, source: "built-in" }]);
    expect(isEstablished(builtIn, "new", VOUCHED)).toBe(false);
  });

  test.each([
    ["by one friend", [by("v1")]],
    ["by principals that are not established", [by("x"), by("y")]],
    ["nearly all by one friend", [by("v1"), by("v1"), by("v1"), by("v2")]],
  ])("is not established by discoveries confirmed %s", (_, confirmers) => {
    const book = new TraceBook();
    confirmedLater(book, "new", confirmers);
    expect(isEstablished(book, "new", VOUCHED)).toBe(false);
  });

  test("earns nothing by what is public", () => {
    const book = new TraceBook();
    for (let find = 0; find < 10; find++)
      book.add({ observer: "v1", asset: find, ...placeAt(find * 1500, 3) });
    for (let find = 0; find < 10; find++)
      book.add({ observer: "copy", day: 1 + find, asset: find, ...placeAt(find * 1500 + 9.7, 3) });
    for (let find = 0; find < 10; find++)
      book.add({
        observer: "v2",
        day: 12,
        asset: find,

        ...placeAt(find * 1500 + 4.7, 3),
        isBareDate: true,
      });
    expect(isEstablished(book, "copy", VOUCHED)).toBe(false);
  });

  test("earns nothing by its own records, by vehicles, or too late", () => {
    const own = new TraceBook();
    confirmedLater(own, "new", [by("v1"), by("v2")]);
    const registry = registryOf(["v1", "v2"], {
      isAffiliated: (principal, record) => principal === "new" && record === 2,
    });
    expect(isEstablished(own, "new", registry)).toBe(false);
    const vans = new TraceBook();
    confirmedLater(vans, "new", [by("v1"), by("v2")]);
    const asVans = vans.traces.map((trace) => ({ ...trace, assetType: "vehicle_wrap" as const }));
    expect(judge(asVans, VOUCHED, LAST_DAY).established.has("new")).toBe(false);
    const late = new TraceBook();
    for (let find = 0; find < FINDS; find++) late.add({ observer: "new", day: find, asset: find });
    for (let find = 0; find < FINDS; find++)
      late.add({ observer: find % 2 ? "v1" : "v2", day: 40, asset: find });
    expect(isEstablished(late, "new", VOUCHED)).toBe(false);
  });

  test("is not established once reviewers rejected it repeatedly", () => {
    const book = new TraceBook();
    for (let row = 0; row < 3; row++) book.add({ observer: "new", verdict: "rejected" });
    confirmedLater(book, "new", [by("v1"), by("v2")], 100);
    expect(judge(book.traces, VOUCHED, LAST_DAY).established.has("new")).toBe(false);
  });

  test("confirms others only 30 days after it earned its own standing", () => {
    const book = new TraceBook();
    confirmedLater(book, "n1", [by("v1"), by("v2")], 100);
    confirmedLater(book, "n2", [by("v1"), by("v2")], 200);
    const sameDays = book.traces.map((trace) => ({ ...trace }));
    expect(judge(sameDays, VOUCHED, LAST_DAY).established.has("n2")).toBe(true);
    for (const [name, day] of [
      ["early", 15],
      ["later", 60],
    ] as const) {
      discover(
        book,
        name,
        [by("n1"), by("n2")].map((confirmer) => ({ ...confirmer, isBareDate: true })),
        day,
        day * 10,
      );
    }
    const { established } = judge(book.traces, VOUCHED, LAST_DAY);
    expect(established.has("early")).toBe(false);
    expect(established.has("later")).toBe(true);
  });
});

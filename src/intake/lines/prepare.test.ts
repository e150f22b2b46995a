import fc from "fast-check";
import { expect, test } from "vitest";
import { sighting } from "../../../tests/support/ledger/intake-ledger.ts";
import { OperatorError } from "../../kernel/errors.ts";
import { type ColumnMap, parseColumnMap } from "./column-map.ts";
import { prepare } from "./prepare.ts";
import { intakeHashes } from "./sighting.ts";

const NOW = Date.UTC(2026, 10, 20);
const hashes = intakeHashes(() => Buffer.alloc(32));
const MAP = {
  columns: { id: "source_ref", seen: "observed_at" },
  constants: {
    source_type: "scout",
    observer: "o",
    lat: "41.8",
    lng: "-87.6",
    name: "Shop",
    asset_type: "storefront",
  },
  utc_offset: "-05:00",
};

function map(changes: object = {}): ColumnMap {
  return parseColumnMap(JSON.stringify({ ...MAP, ...changes }), "map.json");
}

interface Input {
  readonly map?: ColumnMap;
  readonly encoding?: string;
  readonly batchLines?: number;
}

/** `observed_at` of the accepted lines, in the order of their references. */
async function dates(
  bytes: Buffer | string,
  { map, encoding, batchLines = 10_000 }: Input,
): Promise<string[]> {
  async function* source() {
    yield Buffer.from(bytes);
  }
  const found: [string, string][] = [];
  for await (const { sightings } of prepare(source(), { map, encoding, batchLines, hashes, now: () => NOW }))
    for (const { json } of sightings) {
      const { source_ref, observed_at } = JSON.parse(json);
      found.push([source_ref, observed_at]);
    }
  return found.sort(([a], [b]) => Number(a) - Number(b)).map(([, date]) => date);
}

function csv(...seen: string[]): string {
  return ["id,seen", ...seen.map((each, at) => `${at},${each}`)].join("\n");
}

const SOCRATA = "MM/DD/YYYY hh:mm:ss A";

test.for([
  ["iso", ["2026-07-23T00:00:00.000"]],
  ["iso", ["2026-07-23T00:00:00.000", "2026-07-24T00:00:00.000"]],
  ["iso", ["2026-07-23T00:00", "2026-07-24"]],
  ["iso", ["2026-07-23T00:00:00-05:00", "2025-12-24T00:00:00-06:00"]],
  ["iso", ["2026-07-23T00:00:00Z"]],
  [SOCRATA, ["07/23/2026 12:00:00 AM", "07/24/2026 12:00:00 AM", "nothing"]],
  ["M/D/YYYY H:mm", ["7/23/2026 0:00"]],
] as const)("a column of midnights alone is refused: %s %j", async ([format, seen]) => {
  const read = (changes: object) => dates(csv(...seen), { map: map({ date_formats: [format], ...changes }) });
  await expect(read({})).rejects.toThrow(OperatorError);
  await expect(read({})).rejects.toThrow(/observed_at is 00:00 in all .*line 2.*add "date_only": true/);
  expect((await read({ date_only: true }))[0]).toBe("2026-07-23");
  expect((await read({ date_only: false }))[0]).toContain("2026-07-23T00:00");
});

test("midnight among other times is a date, and an instant where it is midnight in UTC", async () => {
  const seen = ["2026-07-23T00:00:00.000", "2026-07-24T14:15:00.000", "2026-07-25T00:00:00Z"];
  expect(await dates(csv("2026-07-23T00:00:00-06:00", "2026-07-24T09:00:00-06:00"), { map: map() })).toEqual([
    "2026-07-23",
    "2026-07-24T09:00:00-06:00",
  ]);
  const read = (changes: object) => dates(csv(...seen), { map: map(changes) });
  expect(await read({})).toEqual(["2026-07-23", "2026-07-24T14:15:00.000-05:00", seen[2]]);
  expect(await read({ date_only: true })).toEqual(["2026-07-23", "2026-07-24", "2026-07-25"]);
  expect((await read({ date_only: false }))[0]).toBe("2026-07-23T00:00:00.000-05:00");
  expect((await read({ utc_offset: "Z" }))[0]).toBe("2026-07-23T00:00:00.000Z");
});

test.for([
  ["-87.6", ["2026-07-23T05:00:00.000Z", "2025-12-24T06:00:00Z"]], // Chicago
  ["-3.7", ["2026-07-22T22:00:00Z", "2025-12-23T23:00:00Z"]], // Madrid
  ["77.2", ["2026-07-22T18:30:00.000Z", "2026-07-23T18:30:00Z"]], // Delhi
  ["174.8", ["2026-07-22T12:00:00Z", "2025-12-23T11:00:00Z"]], // Auckland
  ["-171.8", ["2026-07-22T11:00:00Z", "2026-07-21T11:00:00Z"]], // Samoa
  ["-0.1", ["2026-07-22T23:00:00Z", "2025-12-24T00:00:00Z"]], // London
] as const)("midnight at the place, written in UTC, is recognized: %s %j", async ([lng, seen]) => {
  const here = map({ constants: { ...MAP.constants, lng } });
  const five = Array.from({ length: 5 }, (_, at) => seen[at % seen.length] ?? "");
  await expect(dates(csv(...five), { map: here })).rejects.toThrow(
    /midnight at the place.*the date that it is/,
  );
  expect(await dates(csv(...five, "2026-07-23T09:17:00Z"), { map: here })).toHaveLength(6);
  expect(await dates(csv(...Array(5).fill(seen[0])), { map: here })).toHaveLength(5); // an hour of one day
  expect(await dates(csv(...Array(5).fill("2026-07-23T15:00:00Z")), { map: map() })).toHaveLength(5);
});

test("a column is judged before the first of its lines is handed on, and not before it has some", async () => {
  const late = (lines: number) => csv(...Array(lines).fill("2026-07-23T00:00"), "2026-07-23T09:00");
  expect(await dates(late(500), { map: map(), batchLines: 10 })).toHaveLength(501);
  await expect(dates(late(5000), { map: map(), batchLines: 10 })).rejects.toThrow("in all 1,000 lines");
});

test("NDJSON of midnights alone is refused; a single line is taken at its word", async () => {
  const lines = (...seen: string[]) =>
    seen.map((observed_at, at) => JSON.stringify(sighting(`${at}`, { observed_at }))).join("\n");
  const midnight = "2026-07-23T00:00:00-05:00";
  expect(await dates(lines(midnight), {})).toEqual([midnight]);
  expect(await dates(lines(midnight, "2026-07-23T09:00:00Z"), {})).toHaveLength(2);
  await expect(dates(lines(midnight, "2026-07-24T00:00:00Z"), {})).rejects.toThrow(
    'write each as the date that it is there, without a time, such as "observed_at":"2026-11-02"',
  );
});

test("another encoding than UTF-8 is refused for a file that is UTF-8", async () => {
  const text = csv("2026-07-23", "2026-07-24é", "2026-07-25");
  const read = (bytes: Buffer | string) => dates(bytes, { map: map(), encoding: "windows-1252" });
  await expect(read(text)).rejects.toThrow(
    '--encoding windows-1252: the file is UTF-8: omit --encoding, or "encoding" in the column map',
  );
  expect(await read(Buffer.from(text, "latin1"))).toEqual(["2026-07-23", "2026-07-25"]);
  expect(await read(csv("2026-07-23"))).toEqual(["2026-07-23"]);
});

test("any date stays the date that it is, in any form that says that it is one", async () => {
  const day = fc.date({ min: new Date("1990-01-02"), max: new Date(NOW), noInvalidDate: true });
  const zone = fc.constantFrom("", "Z", "-05:00", "+05:30", "+13:00");
  const time = fc.constantFrom("", "T00:00", "T00:00:00", "T00:00:00.000");
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(day, time, zone), { minLength: 1, maxLength: 5 }), async (parts) => {
      const seen = parts.map(
        ([date, clock, offset]) => `${date.toISOString().slice(0, 10)}${clock}${clock && offset}`,
      );
      expect(await dates(csv(...seen), { map: map({ date_only: true }) })).toEqual(
        seen.map((each) => each.slice(0, 10)),
      );
      const hasTime = parts.some(([, clock]) => clock !== "");
      if (hasTime) await expect(dates(csv(...seen), { map: map() })).rejects.toThrow("date_only");
    }),
  );
});

test("any bytes as a first line end in lines, refusals or a message that tells none of its cells", async () => {
  const secret = "416-555-0100";
  const noise = fc.uint8Array({ maxLength: 12 });
  const ending = fc.constantFrom("\n", "\r", "\r\n", "\0\n");
  await fc.assert(
    fc.asyncProperty(noise, noise, ending, async (before, after, end) => {
      const header = Buffer.concat([
        before,
        Buffer.from(`,${secret},`),
        after,
        Buffer.from(`${end}1,2026-07-23`),
      ]);
      try {
        await dates(header, { map: map() });
      } catch (error) {
        expect(error).toBeInstanceOf(OperatorError);
        expect(String(error)).not.toContain(secret);
      }
    }),
  );
});

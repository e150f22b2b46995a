import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { fakeSnapshot } from "../../../tests/support/release/fake-snapshot.ts";
import { CITY_TABLES_WITHHELD, CityTables } from "../../contract/service/city-tables.ts";
import type { Snapshot } from "../../snapshot/snapshot.ts";
import { BuildEffects } from "../effects.ts";
import { cityTablePaths, cityTablesIndexPath, makeCityTables } from "./city-tables.ts";

const [CITY] = fakeSnapshot().cities();
if (CITY === undefined) throw new Error("the fake release has no city");
const city = CITY;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "presence-tables-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

interface Made {
  readonly site: string;
  readonly effects: BuildEffects;
  readonly index: CityTables;
}

/** A release in a folder of its own, made beside an earlier one. */
function release(name: string, snapshot: Snapshot, before?: Made): Made {
  const inputs = { tree_size: 1, last_sealed_row: 1 };
  const earlierSite = before && { site: before.site, hashes: before.effects.hashes, inputs };
  const site = join(folder, name);
  const effects = new BuildEffects(site, earlierSite);
  const earlierText = effects.earlierText(cityTablesIndexPath(city));
  const text = makeCityTables(snapshot, city, {
    open: (path) => effects.open(path),
    earlier: earlierText === undefined ? undefined : CityTables.parse(JSON.parse(earlierText)),
    keepAll: (paths) => effects.keepAll(paths),
  });
  effects.write(cityTablesIndexPath(city), text);
  return { site, effects, index: CityTables.parse(JSON.parse(text)) };
}

const inode = ({ site }: { readonly site: string }, file: string) =>
  statSync(join(site, `exports/city/${city.slug}`, file)).ino;

/** A release whose stored observations are these. */
const storing = (content: string): Snapshot => ({
  ...fakeSnapshot(),
  observationContent: function* () {
    yield content;
  },
});

test("observations are made only where their rows changed, other tables each time, linked where they are the same", () => {
  const read: string[] = [];
  const watched = (snapshot: Snapshot): Snapshot => ({
    ...snapshot,
    observationColumns: (slug, span) => {
      read.push("observations");
      return snapshot.observationColumns(slug, span);
    },
  });
  const first = release("1", watched(storing("a")));
  const same = release("2", watched(storing("a")), first);
  expect(read).toHaveLength(1);
  expect(same.index).toEqual(first.index);
  const files = ["observations.parquet", "observations.csv.gz", "assets.parquet"];
  for (const file of files) expect(inode(same, file)).toBe(inode(first, file));
  release("3", watched(storing("b")), same);
  expect(read).toHaveLength(2);
});

test("an index that was changed on the disk carries nothing over", () => {
  const first = release("1", storing("a"));
  const path = join(first.site, cityTablesIndexPath(city));
  const text = readFileSync(path, "utf8");
  rmSync(path);
  const effects = new BuildEffects(first.site, undefined);
  effects.write(cityTablesIndexPath(city), text.replace("observations.parquet", "../../x.parquet"));
  expect(
    new BuildEffects(join(folder, "2"), {
      ...first,
      hashes: first.effects.hashes,
      inputs: { tree_size: 1, last_sealed_row: 1 },
    }).earlierText(cityTablesIndexPath(city)),
  ).toBeUndefined();
});

test("an erasure in a city of too many rows leaves an index that says so, and no table", () => {
  const snapshot = fakeSnapshot();
  const large = snapshot.recordsOf(city.slug).map((record) => ({ ...record, rowCount: 200_001 }));
  expect(large.length).toBeGreaterThan(0);
  const erased = { ...city, carriedOverAt: 7 };
  const tables = (of: typeof city, records: typeof large) =>
    CityTables.parse(
      JSON.parse(
        makeCityTables({ ...snapshot, recordsOf: () => records }, of, {
          open: (path) => new BuildEffects(folder, undefined).open(path),
        }),
      ),
    );
  const withheld = tables(erased, large);
  expect(withheld).toMatchObject({ withheld: CITY_TABLES_WITHHELD, files: [], observations_digest: null });
  expect(cityTablePaths(city, withheld)).toEqual([cityTablesIndexPath(city)]);
  expect(tables(erased, snapshot.recordsOf(city.slug)).files).toHaveLength(8);
});

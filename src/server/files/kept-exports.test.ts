import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { keptExport } from "./kept-exports.ts";

const [OLD, NEW, AGAIN, GONE] = ["1", "2", "3", "4"].map(
  (digit) => `${digit.repeat(8)}-0000-8000-8000-000000000000`,
);
const folder = mkdtempSync(join(tmpdir(), "kept-exports-"));
const directory = join(folder, NEW ?? "");
const releases = {
  current: undefined,
  filesOnly: { directory, site: join(directory, "site"), publishedAt: "2026-01-01T00:00:00Z" },
  refresh: () => false,
};
const ask = (release: string | undefined, path: string) =>
  keptExport(releases, `/exports/release/${release}/${path}`);

beforeAll(() => {
  for (const [release = "", text] of [
    [OLD, "old"],
    [NEW, "new"],
    [`${AGAIN}.2`, "again"],
  ] as const) {
    for (const path of [
      "explorer.csv",
      "changes.csv",
      "cells/guelph.geojson",
      "city/guelph/records.parquet",
    ]) {
      const file = join(folder, release, "site/exports", path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, `${text} ${path}`);
    }
  }
});
afterAll(() => rmSync(folder, { recursive: true }));

test("aggregates of each release that is kept, and 410 for one that is not", async () => {
  for (const path of ["explorer.csv", "cells/guelph.geojson"]) {
    const [old, now] = await Promise.all([ask(OLD, path), ask(NEW, path)]);
    expect(old?.identity.headers).toContain(String(`old ${path}`.length));
    expect(now?.path).toBe(`exports/${path}`);
  }
  expect((await ask(AGAIN, "explorer.csv"))?.path).toBe("exports/explorer.csv"); // made anew
  await expect(ask(GONE, "explorer.csv")).rejects.toMatchObject({ status: 410 });
});

test("what names single records is there of the newest release alone, and nothing outside the folder is reached", async () => {
  for (const path of ["changes.csv", "city/guelph/records.parquet", "../snapshot.db", "explorer.csv/x"])
    await expect(ask(OLD, path)).rejects.toMatchObject({ status: 404 });
  for (const path of ["cells/nowhere.geojson", "cells/..%2f.geojson"])
    expect(await ask(OLD, path)).toBeUndefined();
  expect(await keptExport(releases, "/exports/explorer.csv")).toBeUndefined();
  expect(await keptExport(releases, "/exports/release/..%2f..%2f/explorer.csv")).toBeUndefined();
});

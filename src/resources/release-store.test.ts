import { rmSync } from "node:fs";
import { expect, test } from "vitest";
import { TestSite } from "../../tests/support/release/site.ts";
import { ReleaseStore } from "./release-store.ts";

test("more kept releases than may be open at once can all be read, over and over, until each is removed", () => {
  using site = new TestSite();
  const store = new ReleaseStore(site.home);
  expect(store.refresh()).toBe(false);
  expect(store.current).toBeUndefined();

  const published: { directory: string; release: string; id: string; records: number }[] = [];
  for (let turn = 0; turn < 12; turn += 1) {
    site.addRecord(`Extra${turn}`);
    const directory = site.publish(`2026-05-20T12:00:${10 + turn}Z`);
    expect(store.refresh()).toBe(true);
    expect(store.refresh()).toBe(false);
    const city = store.current?.context.snapshot.city("toronto");
    const release = store.current?.context.snapshot.release().releaseId ?? "";
    published.push({ directory, release, id: city?.snapshotId ?? "", records: city?.recordCount ?? 0 });
  }
  const countAt = (id: string) =>
    store.current?.context.citySnapshot("toronto", id)?.cityIndexCount("toronto", {});
  const recordsAt = (release: string) => store.current?.context.releaseSnapshot(release)?.recordCount();
  for (let round = 0; round < 2; round += 1) {
    for (const { id, release, records } of published) {
      expect(countAt(id)).toBe(records);
      expect(recordsAt(release)).toBe(records);
    }
  }
  expect(published.map(({ records }) => records)).toEqual(Array.from({ length: 12 }, (_, turn) => turn + 4));

  const [first, second] = published;
  rmSync(first?.directory ?? "", { recursive: true });
  expect(countAt(first?.id ?? "")).toBeUndefined();
  expect(recordsAt(first?.release ?? "")).toBeUndefined();
  expect(countAt(second?.id ?? "")).toBe(5);
  expect(countAt("00000000-0000-8000-8000-000000000000")).toBeUndefined();
  expect(store.current?.context.citySnapshot("nowhere", first?.id ?? "")).toBeUndefined();
  store.close();
  expect(store.current).toBeUndefined();
});

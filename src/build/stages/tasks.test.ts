import { existsSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { GAZETTEER, TestTown } from "../../../tests/support/release/town-release.ts";
import { OperatorError } from "../../kernel/errors.ts";
import { homePaths } from "../../kernel/home.ts";
import { BuildEffects } from "../effects.ts";
import { drawPictures } from "./pictures.ts";
import { makeSnapshot, type SnapshotTask } from "./snapshot.ts";
import { isSmall } from "./tasks.ts";

let town: TestTown;
let task: SnapshotTask;

const nothing = () => undefined;

beforeEach(() => {
  town = new TestTown();
  town.city("toronto");
  const record = town.record("Cafe");
  town.see(record, town.asset(record), "o1", "2026-05-01T10:00:00Z");
  const treeSize = town.seal();
  const { ledgerPath, asOf, out, settings } = town.input(treeSize, "2026-05-02T12:00:00Z");
  const home = town.ledger.folder;
  writeFileSync(homePaths(home).gazetteer, GAZETTEER.map((city) => `${JSON.stringify(city)}\n`).join(""));
  task = { home, ledgerPath, out, treeSize, asOf, settings };
});

afterEach(() => town[Symbol.dispose]());

/** The bytes of the snapshot, and the hash of each picture. */
async function made(small: boolean) {
  const snapshot = town.path();
  await makeSnapshot({ ...task, out: snapshot, isSmall: small }, nothing);
  const site = join(town.ledger.folder, `site-${small}`);
  const effects = new BuildEffects(site, undefined);
  await drawPictures({ snapshot, site, documents: "files", isSmall: small }, 1, effects, nothing);
  return { snapshot: readFileSync(snapshot), pictures: [...effects.hashes] };
}

/** The files of the town that this process has open, besides its ledger. */
function openFiles(): string[] {
  return readdirSync("/proc/self/fd").flatMap((fd) => {
    const path = join("/proc/self/fd", fd);
    const file = existsSync(path) ? readlinkSync(path) : "";
    return file.startsWith(town.ledger.folder) && file.includes("snapshot-") ? [file] : [];
  });
}

test("a stage writes the same bytes in this thread as in threads", async () => {
  const here = await made(true);
  expect(here.pictures.length).toBe(2);
  expect(await made(false)).toEqual(here);
});

test("two releases made in one process know nothing of each other", async () => {
  const { snapshot } = await made(true);
  const out = town.path();
  await makeSnapshot({ ...task, out, asOf: task.asOf + 86_400_000, isSmall: true }, nothing);
  expect(readFileSync(out).equals(snapshot)).toBe(false);
  const again = town.path();
  await makeSnapshot({ ...task, out: again, isSmall: true }, nothing);
  expect(readFileSync(again).equals(snapshot)).toBe(true);
});

describe.each([true, false])("a release that is small: %s", (small) => {
  test("fails as an operator's error", async () => {
    const wrong = { ...task, treeSize: task.treeSize - 1, isSmall: small };
    const failure = makeSnapshot(wrong, nothing);
    await expect(failure).rejects.toThrow(OperatorError);
    await expect(failure).rejects.toThrow("there is no signed checkpoint");
  });

  test("fails with what its messages make the caller throw, and leaves no file open", async () => {
    await makeSnapshot({ ...task, isSmall: true }, nothing);
    const effects = new BuildEffects(join(town.ledger.folder, "site"), undefined);
    const share = { snapshot: task.out, site: join(town.ledger.folder, "site"), isSmall: small } as const;
    const fail = () => {
      throw new RangeError("full");
    };
    const drawn = drawPictures({ ...share, documents: "files" }, 1, effects, fail);
    await expect(drawn).rejects.toThrow(new RangeError("full"));
    expect(openFiles()).toEqual([]);
  });
});

test("many rows or many records make a release large", () => {
  expect(isSmall({ rows: 20_000 })).toBe(true);
  expect(isSmall({ rows: 20_001 })).toBe(false);
  expect(isSmall({ rows: 100, records: 500 })).toBe(true);
  expect(isSmall({ rows: 100, records: 501 })).toBe(false);
});

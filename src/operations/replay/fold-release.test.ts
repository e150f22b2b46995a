import { afterAll, beforeAll, expect, test } from "vitest";
import { TestLedger } from "../../../tests/support/ledger/small-ledger.ts";
import { type TestRelease, TestReleases } from "../../../tests/support/release/audited-release.ts";
import { Findings } from "../../proof/audit/findings.ts";
import { openRelease } from "../../proof/audit/release-manifest.ts";
import { filesInFolder, type PublicFiles } from "../../proof/audit/site-files.ts";
import { exampleAnswer } from "../../render/reference/examples.ts";
import { ledgerCheckpoints } from "../../resources/service/ledger.ts";
import { foldRelease } from "./fold-release.ts";

const LIST = "api/v1/ledger-checkpoints.json";
const ENTRIES = "ledger/tile/entries/000";
const ledger = new TestLedger();
const releases = new TestReleases();

beforeAll(() => {
  using writer = ledger.writer();
  for (const day of [1, 2]) {
    ledger.appendAt(writer, `2026-05-0${day}T12:00:00Z`, 200);
    writer.seal({ now: true });
  }
});

afterAll(() => {
  ledger[Symbol.dispose]();
  releases[Symbol.dispose]();
});

/** A release whose list says that its two seals are of these days. */
function published(...dates: readonly string[]): Promise<TestRelease> {
  const { checkpoints, ...rest } = exampleAnswer(ledgerCheckpoints);
  const listed = dates.map((date, at) => ({
    ...checkpoints[0],
    date,
    last_observation_id: at === 0 ? 200 : 401,
  }));
  return releases.release(ledger, { files: { [LIST]: JSON.stringify({ ...rest, checkpoints: listed }) } });
}

async function folded({ site }: TestRelease, change: Partial<PublicFiles> = {}, inThreads = false) {
  let reads = 0;
  const folder = filesInFolder(site);
  const files: PublicFiles = {
    read: (path) => {
      if (path === ENTRIES) reads += 1;
      return folder.read(path);
    },
    ...change,
  };
  const findings = new Findings();
  const release = await openRelease(files, {}, findings);
  if (release === undefined) throw new Error("the release does not open");
  const result = await foldRelease(
    { files, release, site: inThreads ? site : undefined },
    findings,
    () => undefined,
  );
  return { reads, faults: findings.faults, seals: result?.fold.seals, result };
}

test("the rows are read once, and again where the list of seals is not that of the rows", async () => {
  const honest = await folded(await published("2026-05-01", "2026-05-02"));
  expect(honest).toMatchObject({ reads: 1, faults: [] });
  expect(honest.seals?.map(({ body }) => body.date)).toEqual(["2026-05-01", "2026-05-02"]);
  for (const dates of [["2026-05-01", "2026-05-03"], ["2026-05-01"], []]) {
    const { reads, faults, seals } = await folded(await published(...dates));
    expect({ reads, faults, seals }).toEqual({ reads: 2, faults: [], seals: honest.seals });
  }
});

test("threads give the same rows", async () => {
  const release = await published("2026-05-01", "2026-05-02");
  const [here, there] = [await folded(release), await folded(release, {}, true)];
  expect(there).toMatchObject({ reads: 0, faults: [], seals: here.seals });
  expect(there.result?.fold).toEqual(here.result?.fold);
});

test("rows that do not verify are not folded", async () => {
  const release = await published("2026-05-01", "2026-05-02");
  const folder = filesInFolder(release.site);
  const read = (path: string) =>
    path === "ledger/disclosures/000.ndjson" ? Promise.resolve(Buffer.alloc(0)) : folder.read(path);
  const { result, faults } = await folded(release, { read });
  expect(result).toBeUndefined();
  expect(faults.length).toBeGreaterThan(0);
});

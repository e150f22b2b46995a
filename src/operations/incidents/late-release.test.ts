import { chmodSync, lutimesSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { TestTown } from "../../../tests/support/release/town-release.ts";
import { contextFor } from "../../../tests/support/towns/demo-view.ts";
import { homePaths, releasePaths } from "../../kernel/home.ts";
import type { CommandContext } from "../context.ts";
import { readIncidents } from "../operator-texts.ts";
import { closeLateReleases, openLateRelease } from "./late-release.ts";

let town: TestTown;
let context: CommandContext;
beforeEach(() => {
  town = new TestTown("2026-05-01T12:00:00Z", "production");
  town.city("toronto");
  const home = homePaths(town.ledger.folder);
  context = { ...contextFor(home), clock: () => town.ledger.time };
});
afterEach(() => town[Symbol.dispose]());

/** Makes the release as of `asOf` the current one, published at `at`. */
function publish(name: string, asOf: string, at: string): void {
  const home = homePaths(town.ledger.folder);
  const { path } = town.build(town.seal(), asOf);
  const target = releasePaths(`${home.releases}/${name}`).snapshot;
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, readFileSync(path));
  symlinkSync(`releases/${name}`, home.current);
  lutimesSync(home.current, Date.parse(at) / 1000, Date.parse(at) / 1000);
}

test("the incident of a late release is opened once, and ends when the release was published", () => {
  publish("first", "2026-05-01T13:00:00Z", "2026-05-01T13:05:00Z");
  town.at("2026-05-02T06:00:00Z");
  openLateRelease(context);
  expect(readIncidents(context.config)).toEqual([]); // the grace lasts until six
  town.at("2026-05-02T09:00:00Z");
  openLateRelease(context);
  openLateRelease(context);
  expect(closeLateReleases(context)).toBe(0);
  const open = {
    started: "2026-05-02T06:00:00Z",
    resolved: null,
    title: "The release was late",
    text: "The release that was due on 2026-05-02 has not been published. All data is as of the release before it.",
    late_release: "2026-05-02",
  };
  expect(readIncidents(context.config)).toEqual([open]);
});

test("it ends at the time of the publication, whenever that is noted", () => {
  const late = {
    started: "2026-05-02T06:00:00Z",
    resolved: null,
    title: "The release was late",
    text: "…",
    late_release: "2026-05-02",
  };
  const { incidents } = homePaths(town.ledger.folder);
  writeFileSync(
    incidents,
    JSON.stringify([late, { ...late, late_release: "2026-05-03", started: "2026-05-03T06:00:00Z" }]),
  );
  publish("second", "2026-05-02T09:00:00Z", "2026-05-02T09:20:00Z");
  town.at("2026-05-03T09:00:00Z");
  expect(closeLateReleases(context)).toBe(1);
  expect(readIncidents(context.config)).toMatchObject([
    {
      resolved: "2026-05-02T09:20:00Z",
      text: "The release that was due on 2026-05-02 was published at 2026-05-02T09:20:00Z.",
    },
    { resolved: null },
  ]);
});

test("a file that is wrong holds up no release", () => {
  publish("first", "2026-05-01T13:00:00Z", "2026-05-01T13:05:00Z");
  town.at("2026-05-02T09:00:00Z");
  const { incidents } = homePaths(town.ledger.folder);
  writeFileSync(incidents, "[");
  chmodSync(incidents, 0o600);
  const said: string[] = [];
  openLateRelease({ ...context, stderr: { write: (text: string) => said.push(text) } });
  expect(said).toEqual([expect.stringMatching(/^incidents {2}the late release is not noted: .*is not JSON/)]);
  expect(readFileSync(incidents, "utf8")).toBe("[");
});

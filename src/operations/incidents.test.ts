import { chmodSync, lutimesSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { TestTown } from "../../tests/support/release/town-release.ts";
import { contextFor } from "../../tests/support/towns/demo-view.ts";
import { MAX_INCIDENTS, MAX_UPDATES, type OperatorIncident } from "../contract/service/status.ts";
import { homePaths, releasePaths } from "../kernel/home.ts";
import { isoTime } from "../kernel/time.ts";
import { idOf } from "../resources/service/system-status.ts";
import type { CommandContext } from "./context.ts";
import { closed, closeLateReleases, type Incidents, opened, openLateRelease, updated } from "./incidents.ts";
import { readIncidents } from "./operator-texts.ts";

describe("incident changes", () => {
  const NOW = Date.parse("2026-05-01T12:00:00Z");
  const NEWS = { title: "No search", text: "Search answers errors.", started: undefined };

  function first(all: Incidents): OperatorIncident {
    const [incident] = all;
    if (incident === undefined) throw new Error("there is no incident");
    return incident;
  }

  const open = first(opened([], NEWS, NOW));
  const id = idOf(open);

  test("opening, updating and closing write the time of the clock", () => {
    expect(open).toEqual({ started: isoTime(NOW), resolved: null, title: "No search", text: NEWS.text });
    const told = updated([open], id, "A disk failed.", NOW + 60_000);
    const over = first(closed(told, id, { text: "It was replaced.", resolved: undefined }, NOW + 120_000));
    expect(over).toEqual({
      ...open,
      resolved: "2026-05-01T12:02:00Z",
      updates: [
        { at: "2026-05-01T12:01:00Z", text: "A disk failed." },
        { at: "2026-05-01T12:02:00Z", text: "It was replaced." },
      ],
    });
    expect(idOf(over)).toBe(id);
    // What is learnt later is said of a closed incident, too.
    expect(first(updated([over], id, "The cause was heat.", NOW + 180_000)).updates).toHaveLength(3);
  });

  test("times of the past are taken, those of the future and an end before the start are refused", () => {
    const hour = 3_600_000;
    expect(first(opened([], { ...NEWS, started: NOW - hour }, NOW)).started).toBe("2026-05-01T11:00:00Z");
    expect(() => opened([], { ...NEWS, started: NOW + hour }, NOW)).toThrow(
      "--started 2026-05-01T13:00:00Z is in the future: it is 2026-05-01T12:00:00Z",
    );
    const close = (resolved: number) => closed([open], id, { text: undefined, resolved }, NOW);
    expect(() => close(NOW + hour)).toThrow(/--resolved .* is in the future/);
    expect(() => close(NOW - hour)).toThrow(/started at 2026-05-01T12:00:00Z, after 2026-05-01T11:00:00Z/);
  });

  test("an unknown id, a second start of the same incident and a second end are refused", () => {
    expect(() => updated([open], "incident-0", "x", NOW)).toThrow(
      "no incident incident-0: `presence incident list`",
    );
    expect(() => opened([open], NEWS, NOW)).toThrow(`\`presence incident update ${id}\``);
    const over = closed([open], id, { text: undefined, resolved: undefined }, NOW);
    expect(() => closed(over, id, { text: undefined, resolved: undefined }, NOW)).toThrow(
      `${id} was resolved at 2026-05-01T12:00:00Z`,
    );
  });

  test("the oldest resolved incident makes room; open ones never go", () => {
    const many = Array.from({ length: MAX_INCIDENTS }, (_, at) => ({
      ...open,
      title: `${at}`,
      started: isoTime(NOW - (at + 1) * 60_000),
      resolved: at === 3 || at === 5 ? isoTime(NOW) : null,
    }));
    const after = opened(many, NEWS, NOW);
    expect(after).toHaveLength(MAX_INCIDENTS);
    expect(many.filter((incident) => !after.includes(incident)).map(({ title }) => title)).toEqual(["5"]);
    const allOpen = many.map((incident) => ({ ...incident, resolved: null }));
    expect(() => opened(allOpen, NEWS, NOW)).toThrow(
      `${MAX_INCIDENTS} incidents are open, the maximum: close one first`,
    );
    const full = {
      ...open,
      updates: Array.from({ length: MAX_UPDATES }, () => ({ at: isoTime(NOW), text: "x" })),
    };
    expect(() => updated([full], id, "x", NOW)).toThrow(`${MAX_UPDATES} updates, the maximum`);
  });
});

describe("late release", () => {
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
    expect(said).toEqual([
      expect.stringMatching(/^incidents {2}the late release is not noted: .*is not JSON/),
    ]);
    expect(readFileSync(incidents, "utf8")).toBe("[");
  });
});

import { describe, expect, test } from "vitest";
import { AS_OF, day, fakeSeal, release } from "../../../tests/support/release/fake-rows.ts";
import { fakeContext } from "../../../tests/support/release/fake-snapshot.ts";
import { incidentsKnownAt } from "../../contract/service/status.ts";
import { HOUR_MS, isoTime } from "../../kernel/time.ts";
import type { SourceEntry } from "../../snapshot/rows.ts";
import { ledgerCheckpoints } from "./ledger.ts";
import {
  isGiven,
  operatorIncident,
  operatorIncidents,
  sealStatus,
  silentSources,
  systemStatus,
} from "./system-status.ts";

describe("silent sources", () => {
  const SOURCE: SourceEntry = {
    row: 3,
    id: "city-fleet",
    kind: "fleet_cam",
    vetting: "collective",
    name: null,
    operator: null,
    licence: "contract 1",
    consent: "consent 1",
    assetTypes: ["storefront"],
    state: "active",
    lastIntake: Date.parse("2026-05-01T00:00:00Z"),
  };

  const said = (changes: Partial<SourceEntry>, asOf = "2026-05-08T01:00:00Z") =>
    silentSources([{ ...SOURCE, ...changes }], Date.parse(asOf));

  test("a collective source without an observation for seven days is an incident", () => {
    expect(said({}, "2026-05-07T23:00:00Z")).toEqual([]);
    expect(said({})).toEqual([
      {
        id: "no-intake-city-fleet-2026-05-08",
        title: "No intake from source city-fleet",
        status: "open",
        started_at: "2026-05-08T00:00:00Z",
        resolved_at: null,
        message: "No observation of source city-fleet has been accepted since 1 May 2026.",
      },
    ]);
  });

  test("nothing is said of individual sources, of suspended ones, and of those that never sent", () => {
    expect(said({ vetting: "individual" })).toEqual([]);
    expect(said({ state: "suspended" })).toEqual([]);
    expect(said({ lastIntake: null })).toEqual([]);
  });
});

describe("status incidents", () => {
  const at = (hours: number) => isoTime(AS_OF + hours * HOUR_MS);
  const outage = {
    started: at(-5),
    resolved: at(-2),
    title: "Outage",
    text: "Search was down.",
    updates: [
      { at: at(-4), text: "A disk failed." },
      { at: at(-3), text: "It was replaced." },
    ],
  };
  const late = {
    started: at(-40),
    resolved: at(-30),
    title: "Late",
    text: "It was late.",
    late_release: "2026-04-30",
  };

  test("an incident is open until its end, unknown before it began, and has the updates of the time", () => {
    const seen = (hours: number) => operatorIncidents(incidentsKnownAt([outage], AS_OF + hours * HOUR_MS));
    expect(seen(-6)).toEqual([]);
    expect(seen(-4.5)).toEqual([
      {
        id: seen(0)[0]?.id,
        title: "Outage",
        status: "open",
        started_at: at(-5),
        resolved_at: null,
        message: "Search was down.",
      },
    ]);
    expect(seen(-3.5)).toMatchObject([{ updates: [{ at: at(-4), message: "A disk failed." }] }]);
    expect(seen(0)).toMatchObject([{ status: "resolved", resolved_at: at(-2), updates: [{}, {}] }]);
  });

  test("a late release is given only once it has ended: before, the status tells it by the clock", () => {
    expect(incidentsKnownAt([{ ...late, resolved: null }], AS_OF)).toEqual([]);
    expect(incidentsKnownAt([late], AS_OF - 35 * HOUR_MS)).toEqual([]);
    expect(operatorIncidents(incidentsKnownAt([late], AS_OF))).toMatchObject([
      { id: "late-release-2026-04-30" },
    ]);
  });

  test("the status shows them, and they can be read back from there", () => {
    const { incidents } = systemStatus.read(fakeContext({ incidents: [outage, late] }), {}, {});
    expect(incidents.filter(isGiven).map(operatorIncident)).toEqual([outage, late]);
  });
});

describe("system status", () => {
  const sealedAt = (lastSealAt: number | null, latestLiveRow = release.latestLiveRow) =>
    sealStatus({ ...release, lastSealAt, latestLiveRow });

  test("seals that come late make the service degraded, then stale", () => {
    expect(sealedAt(AS_OF - 36 * HOUR_MS)).toBe("operational");
    expect(sealedAt(AS_OF - 36 * HOUR_MS - 1)).toBe("degraded");
    expect(sealedAt(AS_OF - 36 * HOUR_MS - 1, release.lastSealedRow)).toBe("operational"); // nothing waits
    expect(sealedAt(day(3))).toBe("degraded");
    expect(sealedAt(day(3) - 1)).toBe("stale");
    expect(sealedAt(null)).toBe("stale");
    expect(sealedAt(AS_OF + HOUR_MS)).toBe("operational"); // evaluated as of the past
  });

  test("a late seal is an incident that began when it became late", () => {
    const context = fakeContext({ release: { ...release, lastSealAt: day(5) } });
    expect(systemStatus.read(context, {}, {})).toMatchObject({
      current_status: "stale",
      incidents: [
        { id: "late-seal-2026-06-26", status: "open", started_at: "2026-06-26T12:00:00Z", resolved_at: null },
      ],
    });
    expect(systemStatus.read(fakeContext(), {}, {})).toMatchObject({
      current_status: "operational",
      incidents: [],
    });
  });

  const production = { ...release, environment: "production" as const };
  const asked = (at: string, changes: Partial<typeof release> = {}) =>
    systemStatus.read(
      { ...fakeContext({ release: { ...production, ...changes } }), now: Date.parse(at) },
      {},
      {},
    );

  test("the status is that of the time of the request: on time, late, stale", () => {
    const promise = {
      next_release_due: "2026-07-01T00:00:00Z",
      grace_seconds: 21_600,
      stale_after_seconds: 172_800,
    };
    expect(asked("2026-07-01T06:00:00Z")).toMatchObject({
      current_status: "operational",
      status_as_of: "2026-07-01T06:00:00Z",
      valid_until: "2026-07-01T06:00:00Z",
      promise,
      processing: { next_checkpoint_time: promise.next_release_due },
      incidents: [],
    });
    const late = asked("2026-07-01T06:00:01Z");
    expect(late).toMatchObject({
      current_status: "degraded",
      valid_until: "2026-07-03T00:00:00Z",
      promise,
      status_note: expect.stringContaining("late since 2026-07-01T06:00:00Z"),
      incidents: [{ id: "late-release-2026-07-01", status: "open", started_at: "2026-07-01T06:00:00Z" }],
    });
    const stale = asked("2026-07-20T00:00:00Z");
    expect(stale).toMatchObject({ current_status: "stale", valid_until: null, promise });
    expect(stale.incidents).toEqual(late.incidents);
  });

  test("without a clock it is that of the build, and says until when it holds", () => {
    expect(systemStatus.read(fakeContext({ release: production }), {}, {})).toMatchObject({
      current_status: "operational",
      status_as_of: "2026-06-30T00:00:00Z",
      valid_until: "2026-07-01T06:00:00Z",
    });
    expect(asked("2026-01-01T00:00:00Z").status_as_of).toBe("2026-06-30T00:00:00Z"); // a clock that is behind
  });

  test("seals that were late at the build leave less to become late", () => {
    const degraded = { lastSealAt: AS_OF - 37 * HOUR_MS };
    expect(asked("2026-07-01T00:00:00Z", degraded)).toMatchObject({
      current_status: "degraded",
      valid_until: "2026-07-03T00:00:00Z",
    });
    expect(asked("2026-07-01T07:00:00Z", degraded).incidents.map(({ id }) => id)).toEqual([
      "late-release-2026-07-01",
      "late-seal-2026-06-29",
    ]);
  });

  test("a demonstration stands still: it promises nothing and is never late", () => {
    const demo = { ...fakeContext(), now: Date.parse("2031-01-01T00:00:00Z") };
    expect(systemStatus.read(demo, {}, {})).toEqual(systemStatus.read(fakeContext(), {}, {}));
    expect(systemStatus.read(demo, {}, {})).toMatchObject({
      current_status: "operational",
      status_as_of: "2026-06-30T00:00:00Z",
      valid_until: null,
      promise: null,
      status_note: expect.stringMatching(/demonstration without further releases/),
      processing: { next_checkpoint_time: null },
      incidents: [],
    });
  });

  test("only a verified proof makes a row externally sealed", () => {
    const { processing } = systemStatus.read(fakeContext(), {}, {});
    expect(processing).toMatchObject({
      latest_live_ledger_row: 103,
      latest_sealed_row: 99,
      latest_externally_sealed_row: null,
      rows_awaiting_next_checkpoint: 4,
    });
    const proven = {
      ...fakeSeal,
      externalProof: {
        provider: "tsa.example",
        status: "verified",
        proofSha256: fakeSeal.manifest.merkle_root,
        verifiedAt: AS_OF,
      },
    };
    const context = fakeContext({ seals: [fakeSeal, proven] });
    expect(systemStatus.read(context, {}, {}).processing).toMatchObject({
      latest_externally_sealed_row: 99,
      latest_external_seal_at: "2026-06-30T00:00:00Z",
    });
    expect(ledgerCheckpoints.read(context, {}, {})).toMatchObject({
      externally_confirmed: false,
      checkpoints: [
        {
          external_proof: { status: "none" },
          tree_size: 100,
          checkpoint_url: "https://presence.test/ledger/checkpoints/100",
          timestamp_url: null,
        },
        {
          external_proof: { status: "verified", verified_at: "2026-06-30T00:00:00Z" },
          timestamp_url: "https://presence.test/ledger/timestamps/100.tsr",
        },
      ],
    });
    expect(ledgerCheckpoints.read(fakeContext({ seals: [proven] }), {}, {})).toMatchObject({
      externally_confirmed: true,
    });
  });

  test("an empty ledger has no rows to speak of", () => {
    const empty = { ...release, latestLiveRow: 0, latestLiveAt: null, lastSealedRow: 0, lastSealAt: null };
    const context = fakeContext({ release: empty, seals: [] });
    expect(systemStatus.read(context, {}, {}).processing).toMatchObject({
      latest_live_ledger_row: null,
      latest_sealed_row: null,
      rows_awaiting_next_checkpoint: 0,
    });
    expect(ledgerCheckpoints.read(context, {}, {})).toMatchObject({
      externally_confirmed: false,
      checkpoints: [],
    });
  });

  test("a held release makes a late one late under review, and says no more", () => {
    const heldAt = (time: string) =>
      systemStatus.read(
        { ...fakeContext({ release: production }), now: Date.parse(time), isReleaseHeld: true },
        {},
        {},
      );
    const onTime = "2026-07-01T06:00:00Z";
    expect(heldAt(onTime)).toEqual(asked(onTime));
    const late = "2026-07-01T06:00:01Z";
    expect(heldAt(late)).toMatchObject({
      current_status: "degraded",
      under_review: true,
      status_note: `${asked(late).status_note} It is under review.`,
      incidents: [
        {
          title: "The next release is late, under review",
          message: expect.stringMatching(/ It is under review\.$/),
        },
      ],
    });
    expect(asked(late)).toMatchObject({
      under_review: false,
      incidents: [{ title: "The next release is late" }],
    });
  });
});

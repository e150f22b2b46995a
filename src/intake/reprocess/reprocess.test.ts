import { cellToParent, getResolution, latLngToCell } from "h3-js";
import { describe, expect, test, vi } from "vitest";
import { MOBILE_RESOLUTION } from "../../contract/records/public-precision.ts";
import { isoTime } from "../../kernel/time.ts";
import { openLedgerReader } from "../../ledger/reader.ts";
import { RecordBody } from "../../ledger/rows/rows.ts";
import { openSnapshot, type Snapshot } from "../../snapshot/snapshot.ts";
import { rawLedger } from "../../testing/ledger/raw-ledger.ts";
import { TestTown, TORONTO } from "../../testing/release/town-release.ts";
import { observerTag } from "../append.ts";
import { intakeHashes } from "../lines/sighting.ts";
import { planReprocess, reprocess } from "./reprocess.ts";

const AS_OF = "2026-06-10T12:00:00Z";
const CELL = latLngToCell(TORONTO.lat, TORONTO.lng, 8);

/** A town as earlier versions wrote it: hours, vehicles with cells of resolution 7, legibility with many decimals. */
class FineTown extends TestTown {
  register(): void {
    this.city("toronto");
    const details = [...this.writer.deskRows.rows()].flatMap(({ kind, body }) =>
      kind === "city" && body.details !== null ? [body.details] : [],
    )[0];
    if (details === undefined) throw new Error("no city");
    this.writer.transaction(() => this.writer.intake.addCity("toronto", 1, details));
  }

  tag(observer: string, record: number): string {
    return observerTag("scout", `SECRET-${observer}`, record, intakeHashes(this.writer.purposeKey));
  }

  release(): Snapshot {
    using reader = openLedgerReader(this.ledger.path);
    return openSnapshot(this.build(reader.latestCheckpoint()?.size ?? 0, AS_OF).path);
  }

  look(record: number, asset: number, observer: string, observedAt: string, body = {}): number {
    const row = this.see(record, asset, observer, observedAt, {
      observer_tag: this.tag(observer, record),
      legibility: 0.8712345678,
      ...body,
    });
    const key = Buffer.from(String(row).padStart(16, "0"));
    this.writer.transaction(() => {
      this.writer.intake.addSourceRef(key, key);
      this.writer.intake.setSourceRow(key, row);
    });
    return row;
  }
}

function fineTown() {
  const town = new FineTown();
  town.register();
  const [stays, goes] = [town.record("Stays"), town.record("Goes")];
  const [door, gone] = [town.asset(stays), town.asset(goes)];
  const van = town.asset(stays, "vehicle_wrap");
  const first = town.look(stays, door, "x", "2026-04-28T14:00:00Z");
  const rejected = town.look(goes, gone, "x", "2026-04-29T15:00:00Z");
  town.look(goes, gone, "z", "2026-04-30T16:00:00Z");
  town.look(stays, van, "y", "2026-04-30T05:00:00Z", {
    asset_type: "vehicle_wrap",
    h3_cell: cellToParent(CELL, 7),
  });
  town.seal();
  town.at("2026-05-20T12:00:00Z");
  town.look(stays, door, "y", "2026-05-20T11:00:00Z");
  town.review("reject", rejected);
  town.review("verify", first);
  town.review("merge", goes, {
    into: stays,
    tags: Object.fromEntries(["x", "z"].map((who) => [town.tag(who, goes), town.tag(who, stays)])),
  });
  town.append({ kind: "status", body: { record: stays, status: "claimed" } });
  town.seal();
  town.at("2026-06-09T09:00:00Z");
  return { town };
}

/** What must not change: no row number, time or cell of an observation is in it. */
function lasting(release: Snapshot) {
  const record = release.record("demo_stays");
  return {
    events: release
      .eventsOf("toronto", { since: 0, limit: 99 })
      .map(({ id, detectedAt, summary }) => [id, detectedAt, summary]),
    observations: record?.observationCount,
    observers: record?.standing.observers,
    days: record?.standing.days,
    status: record?.identityStatus,
    mergedInto: release.record("demo_goes")?.mergedInto,
    rows: observations(release)
      .map(({ acceptedAt, publishedAt, state, source, trust }) => ({
        acceptedAt,
        publishedAt,
        state,
        source,
        trust,
      }))
      .sort(byText),
  };
}

function observations(release: Snapshot) {
  return release.observationsOf(release.record("demo_stays")?.id ?? 0, { limit: 99 });
}

function byText(a: unknown, b: unknown): number {
  return JSON.stringify(a) < JSON.stringify(b) ? -1 : 1;
}

function bodyOf(town: FineTown, record: number): RecordBody {
  return RecordBody.parse(town.writer.live.records([record])[0]?.body);
}

describe("a ledger that was written with more precision", () => {
  test("is erased and appended again: public ids, events, dates, reviews and merges stay", () => {
    const { town } = fineTown();
    using _ = town;
    const before = lasting(town.release());
    expect(before.events.length).toBeGreaterThan(1);
    const plan = planReprocess(town.writer);
    expect(plan).toMatchObject({ tooFine: 5, rows: 2 + 3 + 5 + 3 + 1 });
    const last = town.writer.nextId() - 1;

    const { named } = reprocess(town.writer, plan.code);
    const release = town.release();
    expect(lasting(release)).toEqual(before);
    const after = observations(release);
    expect(
      after.every(({ id, reprocessedAt }) => id > last && reprocessedAt === Date.parse("2026-06-09")),
    ).toBe(true);
    expect(after.map(({ observedAt }) => isoTime(observedAt).slice(10))).toEqual(
      after.map(() => "T05:00:00Z"),
    );
    expect(after.map(({ cell }) => getResolution(cell)).sort()).toEqual(
      [MOBILE_RESOLUTION, 8, 8, 8, 8].sort(),
    );
    using reader = openLedgerReader(town.ledger.path);
    expect(reader.redactions(town.writer.nextId()).map(({ id, reason }) => [id, reason])).toEqual(
      named.map((id) => [id, "precision"]),
    );
    expect(planReprocess(town.writer)).toMatchObject({ tooFine: 0, rows: 0 });
  });

  test("keeps match candidates private, and a model's version only where it is allowed", () => {
    const { town } = fineTown();
    using _ = town;
    const [first, second] = [town.record("Twin"), town.record("Twin ")];
    const raw = rawLedger(town.writer);
    const { match_review: __, ...body } = bodyOf(town, second);
    town.append({
      kind: "record",
      body: { ...body, public_id: "demo_third", match_candidates: [first, second] },
    });
    town.writer.transaction(() => town.writer.intake.allowRecognitionModel("scout", "known-1"));
    const asset = town.asset(first);
    for (const version of ["known-1", "unit-07 driver=Bob"])
      town.look(first, asset, version, "2026-06-01T05:00:00Z", { recognition_model_version: version });
    const { code, tooFine } = planReprocess(town.writer);
    expect(tooFine).toBe(5 + 1 + 2);
    reprocess(town.writer, code);
    const bodies = raw.prepare<[], string>("SELECT body FROM openings").pluck().all().join("\n");
    expect(bodies).not.toContain("match_candidates");
    expect(bodies).toContain("known-1");
    expect(bodies).not.toContain("driver");
    const desk = [...town.writer.deskRows.rows()].flatMap((row) => (row.kind === "record" ? [row] : []));
    const third = desk.find((row) => row.body.public_id === "demo_third");
    const twins = desk.filter((row) => row.body.name.trim() === "Twin" && row !== third).map(({ id }) => id);
    expect(third?.body.match_review).toBe(true);
    expect([...(third?.candidates ?? [])].sort()).toEqual(twins.sort());
  });

  test("knows its lines by the new rows, and tells nothing of the old order", () => {
    const { town } = fineTown();
    using _ = town;
    const refs = () =>
      rawLedger(town.writer)
        .prepare<[], { key: string; row: number }>(
          "SELECT hex(key) AS key, row FROM recent_refs ORDER BY key",
        )
        .all();
    const old = refs();
    reprocess(town.writer, planReprocess(town.writer).code);
    const moved = refs();
    expect(moved.map(({ key }) => key)).toEqual(old.map(({ key }) => key));
    const order = [...moved].sort((a, b) => a.row - b.row).map(({ key }) => key);
    expect(order).not.toEqual(old.sort((a, b) => a.row - b.row).map(({ key }) => key));
  });

  test("keeps what checks, reviewers and the operator know of its rows", () => {
    const { town } = fineTown();
    using _ = town;
    const { live, sources } = town.writer;
    const [record] = live.records([2]);
    const sighted = live.sightings([2], []).map(({ id }) => id);
    const [first = 0] = sighted;
    town.writer.transaction(() => {
      sources.putSetAside(first, "same_media", 0);
      sources.firstWith(Buffer.from("trace"), first);
      sources.raise({ key: "ring", check: "ring", record: 2, rows: sighted, day: 0 });
      sources.delay({ target: first, change: { counts: true }, due: 0 });
      sources.addAffiliation({ principal: "owner", subject: "record 2" });
    });
    reprocess(town.writer, planReprocess(town.writer).code);
    const id = live.withPublicId(record?.body.public_id ?? "")?.id ?? 0;
    expect(id).toBeGreaterThan(first);
    const [item] = sources.openItems();
    const after = live.sightings([id], []).map((sighting) => sighting.id);
    expect(item).toMatchObject({ record: id, rows: expect.arrayContaining(after) });
    const [moved = 0] = [...sources.setAside().keys()];
    expect(after).toContain(moved);
    expect(sources.delayed().map(({ target }) => target)).toEqual([moved]);
    expect(sources.firstWith(Buffer.from("trace"), 1)).toBe(moved);
    expect(sources.affiliations()).toEqual([{ principal: "owner", subject: `record ${id}` }]);
  });

  test("is left as it was when the code is not that of the plan, or when a row fails", () => {
    const { town } = fineTown();
    using _ = town;
    const head = town.writer.live.last();
    expect(() => reprocess(town.writer, "00000000")).toThrow("--confirm 00000000 does not match");
    const original = town.writer.append.bind(town.writer);
    let left = 6;
    vi.spyOn(town.writer, "append").mockImplementation((row) => {
      left -= 1;
      if (left < 0) throw new Error("killed");
      return original(row);
    });
    const plan = planReprocess(town.writer);
    expect(() => reprocess(town.writer, plan.code)).toThrow("killed");
    vi.restoreAllMocks();
    expect(town.writer.live.last()).toEqual(head);
    expect(planReprocess(town.writer)).toEqual(plan);
  });
});

/** A week at the desk: the work of each day, some of which continues an earlier day. */

import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import type { EntityResponse } from "../../../src/contract/records/entity.ts";
import type { OperatorIncident } from "../../../src/contract/service/status.ts";
import type { Drawn, WeekDesk } from "./desk.ts";
import {
  drawTaught,
  evidenceOf,
  isNameItsOwn,
  optOut,
  redactRow,
  sightingOf,
  type Traces,
} from "./erasures.ts";
import { bulkDecisions, heldLines, matchDecisions } from "./lists.ts";
import { reportedSubjects, resolveReport, workOffReports } from "./problem-reports.ts";
import { type Published, readEntity, readPublished } from "./published.ts";
import { reviewSamples } from "./sample-reviews.ts";

export interface Week {
  readonly desk: WeekDesk;
  readonly kept: Map<string, Drawn>;
  readonly traces: Traces[]; // of what was erased so far
  readonly openReports: string[]; // ids
}

/** `last` is what was published in the night before. */
type DeskDay = (week: Week, last: Published, now: string) => Promise<void>;

/** Nothing is published yet. */
export async function firstDay({ desk, kept }: Week): Promise<void> {
  const proposed = await desk.waitingRecords("industry");
  await desk.applyAgain(await bulkDecisions(desk, proposed, "industries-1.csv"));
  await matchDecisions(desk, "matches-1.csv");
  await heldLines(desk);
  const [first, second, third] = desk.draw(3);
  if (first === undefined || second === undefined || third === undefined) return;
  await desk.join(first.publicId, second.publicId);
  for (const [what, record] of Object.entries({ first, second, third })) kept.set(what, record);
}

export const LATER_DAYS: readonly DeskDay[] = [
  chainAndIdentity,
  endings,
  turnsAndReport,
  optOutDay,
  corrections,
  lastDay,
];

/** What was merged on the first day goes into a third record; another record is claimed, verified and told of whom it is. */
async function chainAndIdentity({ desk, kept }: Week, last: Published): Promise<void> {
  const [second, third] = [recall(kept, "second"), recall(kept, "third")];
  const observed = [second, third].map(({ publicId }) => readEntity(last.site, publicId).stats);
  const together = observed.reduce((sum, { row_count }) => sum + row_count, 0);
  await desk.join(second.publicId, third.publicId);
  desk.told.expect(
    third.publicId,
    "that it has the rows of both",
    ({ stats }) => stats.row_count >= together,
    true,
  );
  await desk.machine.refused([...review("join", second.publicId), recall(kept, "first").publicId, ...BY]);
  await desk.machine.refused([...review("join", third.publicId), third.publicId, ...BY]);

  const owned = keep(kept, "owned", desk.drawOne());
  const status = ({ entity }: EntityResponse) => entity.identity_status;
  await desk.move(["record", "claim", owned.publicId], "owner_request", ["identity", status, "claimed"]);
  await desk.move(["record", "verify", owned.publicId], "documents_checked", [
    "identity",
    status,
    "verified",
  ]);
  await identify(desk, owned);
  const flagged = keep(kept, "flagged", desk.drawOne());
  const isFlagged = ({ entity }: EntityResponse) => entity.ranking_gate.status === "integrity_review";
  await desk.move(["review", "flag", flagged.publicId], "suspicious_pattern", ["flag", isFlagged, true]);
  writeIncidents(desk, [{ ...INCIDENT, resolved: null }]);
  await reviewSamples(desk, last.metrics, 2);
}

async function identify(desk: WeekDesk, { publicId, name }: Drawn): Promise<void> {
  const organization = "operating_organization|org_of_the_week|Week Holdings|company|holdings.example";
  const options = ["--scope", "local_independent", "--organization", organization];
  const brand = ["--brand", `brand_of_the_week|${name.replaceAll("|", " ")}|week.example`];
  await desk.decide(["identity", "set", publicId, ...options, ...brand], "documents_checked");
  const hierarchy = ({ entity }: EntityResponse) => entity.identity_hierarchy;
  const { told } = desk;
  told.expect(publicId, "scope", (document) => hierarchy(document).scope.value, "local_independent");
  told.expect(publicId, "brand", (document) => hierarchy(document).brand?.public_id, "brand_of_the_week");
  told.expect(publicId, "organizations", (document) => hierarchy(document).organizations.length, 1);
}

/** A merge that will turn out to be the wrong way round; a business that ended, a sign that is gone, a visit that was private. */
async function endings({ desk, kept, traces }: Week, last: Published): Promise<void> {
  const [wrong, right] = desk.draw(2);
  if (wrong === undefined || right === undefined) return;
  keep(kept, "wrong", wrong);
  keep(kept, "right", right);
  await desk.join(right.publicId, wrong.publicId);

  const ended = keep(kept, "ended", desk.drawOne());
  // Of an industry that hardly another record is of: nothing may lead to a page that is gone with it.
  await desk.decide(["review", "classify", ended.publicId, RARE_INDUSTRY], "industry_corrected");
  await desk.move(["record", "dissolve", ended.publicId], "business_ended", [
    "record status",
    ({ entity }) => entity.record_status,
    "dissolved",
  ]);
  const moved = keep(kept, "moved", desk.drawOne());
  await decideAsset(desk, last, moved, "retire");

  const seen = ({ publicId }: Drawn) => readEntity(last.site, publicId).stats.observation_count >= 3;
  const visited = desk.drawOne(seen);
  const [visit] = evidenceOf(last, visited.publicId).observations.recent;
  if (visit === undefined) throw new Error(`${visited.publicId} was never seen`);
  traces.push(await redactRow(desk, visit.id));
  await desk.machine.refused([...review("accept", String(visit.id)), ...BY]);
  await reviewSamples(desk, last.metrics, 3);
}

async function decideAsset(
  desk: WeekDesk,
  last: Published,
  { publicId }: Drawn,
  action: "retire" | "unretire",
): Promise<void> {
  const asset = readEntity(last.site, publicId).assets[0]?.public_id ?? "";
  await desk.decide(["review", action, asset], action === "retire" ? "taken_down" : "operator_error");
  desk.told.expect(
    publicId,
    "that its sign is gone",
    ({ assets }) => assets.some(({ public_id, status }) => public_id === asset && status === "retired"),
    action === "retire",
  );
}

/** Reverts wrong decisions, and reports a sighting of another business. */
async function turnsAndReport({ desk, kept, traces, openReports }: Week, last: Published): Promise<void> {
  await desk.correct(
    ["review", "join", recall(kept, "right").publicId, recall(kept, "wrong").publicId, "--undo"],
    "operator_error",
  );
  await desk.join(recall(kept, "wrong").publicId, recall(kept, "right").publicId);
  await desk.move(["record", "reopen", recall(kept, "ended").publicId], "business_resumed", [
    "record status",
    ({ entity }) => entity.record_status,
    "active",
  ]);
  const isFlagged = ({ entity }: EntityResponse) => entity.ranking_gate.status === "integrity_review";
  const unflag = ["review", "unflag", recall(kept, "flagged").publicId] as const;
  await desk.move(unflag, "checked_genuine", ["flag", isFlagged, false]);
  writeIncidents(desk, [INCIDENT]);

  const [goes, ...others] = desk.draw(20, (record) => isNameItsOwn(record, last));
  const stays = await drawTaught(desk, others);
  if (goes === undefined || stays === undefined) throw new Error("no name would be refused in a city");
  await desk.join(goes.publicId, keep(kept, "leaves", stays).publicId);
  const reports = await workOffReports(desk, last, stays);
  traces.push(reports.said);
  openReports.push(reports.open);
  await reviewSamples(desk, last.metrics, 4);
}

const Refused = z.object({
  accepted: z.literal(0),
  rejected_by_reason: z.object({ opted_out: z.literal(1) }),
});

/** An owner opts out, with the records merged into it; later sightings stay suppressed. */
async function optOutDay(
  { desk, kept, traces, openReports }: Week,
  last: Published,
  now: string,
): Promise<void> {
  const leaves = recall(kept, "leaves");
  const again = join(desk.machine.folder, "again.ndjson");
  writeFileSync(again, `${JSON.stringify(sightingOf(last, leaves, now))}\n`);
  traces.push(await optOut(desk, leaves));
  if ((await reportedSubjects(desk)).includes(leaves.publicId))
    throw new Error("a report still names a record that opted out");
  for (const report of openReports) await resolveReport(desk, report, "upheld");
  desk.told.reports = { received: 3, open: 0, upheld: 2, not_upheld: 1 };
  await desk.machine.json(["ingest", again], Refused);
  for (const path of [again, `${again}.rejects.ndjson`]) rmSync(path);
  await desk.machine.refused([...review("flag", leaves.publicId), ...BY]);
  await decideAsset(desk, readPublished(desk.machine.home), recall(kept, "moved"), "unretire");
  await reviewSamples(desk, last.metrics, 5);
}

async function corrections({ desk, kept }: Week, last: Published): Promise<void> {
  const owned = recall(kept, "owned");
  await desk.decide(["identity", "clear", owned.publicId], "operator_error");
  const hierarchy = ({ entity }: EntityResponse) => entity.identity_hierarchy;
  const { told } = desk;
  told.expect(owned.publicId, "scope", (document) => hierarchy(document).scope.value, null);
  told.expect(owned.publicId, "brand", (document) => hierarchy(document).brand?.public_id, undefined);
  told.expect(owned.publicId, "organizations", (document) => hierarchy(document).organizations.length, 0);
  await bulkDecisions(desk, await desk.waitingRecords("industry"), "industries-6.csv");
  await reviewSamples(desk, last.metrics, 6);
}

async function lastDay({ desk, kept }: Week, last: Published): Promise<void> {
  await matchDecisions(desk, "matches-7.csv");
  const fourth = desk.drawOne(({ city }) => city === recall(kept, "third").city);
  await desk.join(recall(kept, "third").publicId, fourth.publicId);
  await reviewSamples(desk, last.metrics, 7);
}

const RARE_INDUSTRY = "9491";
const BY = ["--as", "review-desk", "--reason", "same_business"];

function review(action: string, subject: string): string[] {
  return ["review", action, subject];
}

function keep(kept: Map<string, Drawn>, what: string, record: Drawn): Drawn {
  kept.set(what, record);
  return record;
}

function recall(kept: ReadonlyMap<string, Drawn>, what: string): Drawn {
  const record = kept.get(what);
  if (record === undefined) throw new Error(`no record was kept as "${what}"`);
  return record;
}

const INCIDENT = {
  started: "2021-12-07T09:10:00Z",
  resolved: "2021-12-09T11:00:00Z",
  title: "Search answered slowly",
  text: "A disk of the server was failing. It was replaced.",
};

function writeIncidents({ machine, told }: WeekDesk, incidents: readonly OperatorIncident[]): void {
  told.incidents = incidents;
  writeFileSync(machine.home.incidents, JSON.stringify(incidents));
}

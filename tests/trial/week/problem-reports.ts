/** Problem reports sent to the real server, resolved at the desk and counted in a release. */

import { z } from "zod";
import { ReportReceipt, type ReportRequest } from "../../../src/contract/accounts/reports.ts";
import { SAMPLE_REASONS } from "../../../src/method/review-sample.ts";
import { type Drawn, ROLE, type WeekDesk } from "./desk.ts";
import { evidenceOf, type Traces } from "./erasures.ts";
import type { Published } from "./published.ts";
import { serving } from "./served-check.ts";
import type { Told } from "./told.ts";

/** Sends public reports and returns their ids. Throws when one is refused. */
function sendReports({ machine }: WeekDesk, reports: readonly ReportRequest[]): Promise<string[]> {
  return serving(machine, (url) =>
    Promise.all(
      reports.map(async (report) => {
        const answer = await fetch(`${url}/api/v1/reports`, {
          method: "POST",
          headers: { "Content-Type": "application/json" },
          body: JSON.stringify(report),
        });
        const body: unknown = await answer.json();
        if (answer.status !== 202)
          throw new Error(`a report was not taken: ${answer.status} ${JSON.stringify(body)}`);
        return ReportReceipt.parse(body).report.report_id;
      }),
    ),
  );
}

export async function resolveReport(
  { machine }: WeekDesk,
  id: string,
  outcome: "upheld" | "not_upheld",
  row?: number | null,
): Promise<void> {
  const led = row ? ["--row", String(row)] : [];
  await machine.ok(["report", "resolve", id, "--outcome", outcome, "--as", ROLE, ...led]);
}

/** One report is right, one is not, and one, about a record that leaves, stays open until then. What they say is published nowhere. */
export async function workOffReports(
  desk: WeekDesk,
  last: Published,
  leaves: Drawn,
): Promise<{ readonly open: string; readonly said: Traces }> {
  const [wrong, fine] = desk.draw(2);
  const [sighting] = wrong === undefined ? [] : evidenceOf(last, wrong.publicId).observations.recent;
  if (sighting === undefined || fine === undefined) throw new Error("there is nothing to report");
  const about = [String(sighting.id), fine.publicId, leaves.publicId];
  const texts = about.map((subject) => `Zephyrine says that ${subject} is not what it seems to be.`);
  const sent = about.map((subject, at) => ({
    about: subject,
    kind: "not_genuine" as const,
    text: texts[at] ?? "",
  }));
  const [upheld = "", unfounded = "", open = ""] = await sendReports(desk, sent);
  const row = await desk.decide(["review", "reject", String(sighting.id)], SAMPLE_REASONS.reported);
  desk.told.verdicts.set(sighting.id, { accepts: false, reason: SAMPLE_REASONS.reported });
  desk.told.disputed.push(row);
  await resolveReport(desk, upheld, "upheld", row);
  await resolveReport(desk, unfounded, "not_upheld");
  desk.told.reports = { received: 3, open: 1, upheld: 1, not_upheld: 1 };
  return { open, said: { values: [upheld, unfounded, open, ...texts], leafHashes: [] } };
}

const Listed = z.looseObject({ report: z.string(), about: z.string().nullable() });

/** What all the reports that are known are about. */
export async function reportedSubjects({ machine }: WeekDesk): Promise<(string | null)[]> {
  const lines = (await machine.ok(["report", "list", "--all", "--json"])).split("\n").filter(Boolean);
  return lines.map((line) => Listed.parse(JSON.parse(line)).about);
}

/** Whether the metrics count the reports, and name the reviews that they led to. */
export function disputeFaults({ metrics }: Published, { disputed, reports }: Told): string[] {
  const said = metrics.dispute_metrics;
  const [named, decided] = [said.review_rows, disputed].map((rows) => rows.join(", "));
  return [
    ...(named === decided ? [] : [`dispute_metrics: the reviews are ${named}, not ${decided}`]),
    ...Object.entries(reports)
      .filter(([what, count]) => said[what] !== count)
      .map(([what, count]) => `dispute_metrics: ${what} is ${JSON.stringify(said[what])}, not ${count}`),
  ];
}

import { spawnSync } from "node:child_process";
import { deliverySetup } from "../accounts/delivery/delivery-setup.ts";
import type { Environment } from "../contract/enums.ts";
import { ACTIVITY_WINDOW_DAYS, DEMAND } from "../contract/limits.ts";
import { incidentsKnownAt, type ReportCounts } from "../contract/service/status.ts";
import type { Config } from "../kernel/config/config.ts";
import { OperatorError } from "../kernel/errors.ts";
import { DAY_MS, utcDayStart } from "../kernel/time.ts";
import { PARAMETERS } from "../method/numbers.ts";
import type { ActivityInput } from "../snapshot/activity.ts";
import type { DemandInput } from "../snapshot/demand.ts";
import { OperatorSettings, type ReleaseSettings } from "../snapshot/release-settings.ts";
import type { State } from "../state/open-state.ts";
import { countReports, type Reports } from "../state/reports.ts";
import type { Usage } from "../state/usage/usage.ts";
import { type CommandContext, existingState } from "./context.ts";
import { missingTexts, readIncidents, readOperatorTexts } from "./operator-texts.ts";

/** The counts of a release for `asOf` (ms): whole UTC days before it. */
export async function measured(
  { usage, reports }: State,
  asOf: number,
): Promise<Pick<ReleaseSettings, "activity" | "demand" | "reportCounts">> {
  const until = utcDayStart(asOf);
  return {
    activity: await activityBefore(usage, until),
    demand: await demandBefore(usage, until),
    reportCounts: await reportCountsBefore(reports, until),
  };
}

/** Machine activity of the measured days before `windowEnd`, seven at most; undefined when none was measured. */
export async function activityBefore(usage: Usage, windowEnd: number): Promise<ActivityInput | undefined> {
  const measuredSince = await usage.countedSince();
  if (measuredSince === undefined) return undefined;
  const measuredDays = Math.round((windowEnd - Date.parse(measuredSince)) / DAY_MS);
  if (measuredDays <= 0) return undefined;
  const days = Math.min(ACTIVITY_WINDOW_DAYS, measuredDays);
  const { previousExternalRequests, ...report } = await usage.report(windowEnd, days);
  return {
    ...report,
    measuredSince,
    previousExternalRequests: measuredDays >= 2 * days ? previousExternalRequests : null,
    topEndpoints: [...report.topEndpoints],
    topTools: [...report.topTools],
    topCities: [...report.topCities],
    topRecords: [...report.topRecords],
    topCrawlers: [...report.topCrawlers],
    daily: [...report.daily],
  };
}

/** Demand in the days before `windowEnd` in which searches were counted, thirty at most; undefined when there were none. */
async function demandBefore(usage: Usage, windowEnd: number): Promise<DemandInput | undefined> {
  const since = await usage.countedSince("counted");
  if (since === undefined) return undefined;
  const windowDays = Math.min(DEMAND.windowDays, Math.round((windowEnd - Date.parse(since)) / DAY_MS));
  if (windowDays <= 0) return undefined;
  const { covered } = await usage.demand(windowEnd, windowDays);
  return { windowEnd, windowDays, cities: covered.map((city) => ({ ...city })) };
}

/** Reports of the days of the samples before `until`, as they stood then; undefined when none could be received. */
export async function reportCountsBefore(reports: Reports, until: number): Promise<ReportCounts | undefined> {
  if ((await reports.since()) >= until) return undefined;
  const from = until - PARAMETERS.samples.windowDays * DAY_MS;
  return countReports(await reports.courses(), { from, until });
}

/** What the configuration, and the files that it names, say about a release at `now` (ms). Throws OperatorError for a file that is wrong. */
export function operatorSettings(config: Config, environment: Environment, now: number): OperatorSettings {
  const { baseUrl, securityContact, operatorName, siteName } = config;
  return OperatorSettings.parse({
    baseUrl,
    externalTimestamping: config.timestampAuthority !== undefined,
    securityContact,
    operatorName,
    siteName,
    operatorTexts: readOperatorTexts(config.operatorTexts),
    incidents: incidentsKnownAt(readIncidents(config), now),
    delivery: deliverySetup(config, environment),
  });
}

interface ReleaseTimes {
  readonly asOf: number; // ms
  readonly now: number; // ms, of the incidents: a demonstration stands at its last seal, and its incidents do not
}

/** The settings of a release. Notes on stderr what a real site still lacks, and counts that cannot be read. */
export async function releaseSettings(
  context: CommandContext,
  environment: Environment,
  { asOf, now }: ReleaseTimes,
): Promise<ReleaseSettings> {
  const settings = operatorSettings(context.config, environment, now);
  if (environment === "production") remarkMissing(context, settings);
  return {
    ...settings,
    sourceRevision: context.config.sourceRevision ?? sourceRevision(context.project),
    ...(await measuredCounts(context, asOf)),
  };
}

export function remarkMissing(
  { stderr }: Pick<CommandContext, "stderr">,
  { operatorName, operatorTexts }: OperatorSettings,
): void {
  const missing = [...(operatorName === null ? ["OPERATOR_NAME"] : []), ...missingTexts(operatorTexts)];
  if (missing.length > 0)
    stderr.write(
      `pages say that the operator has not provided: ${missing.join(", ")} (see OPERATOR_TEXTS)\n`,
    );
}

/** A state that cannot be read does not hold up a release, which may be urgent, such as one that removes a record. */
async function measuredCounts(context: CommandContext, asOf: number) {
  try {
    await using state = await existingState(context);
    return state && (await measured(state, asOf));
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    context.stderr.write(`the release has no machine activity, demand or report counts: ${error.message}\n`);
    return undefined;
  }
}

/** The commit of the checkout, with `-modified` when tracked files differ from it; `unknown` outside a checkout. */
export function sourceRevision(project: string): string {
  const git = (...args: string[]) => spawnSync("git", ["-C", project, ...args], { encoding: "utf8" });
  const head = git("rev-parse", "HEAD");
  if (head.status !== 0) return "unknown";
  const isModified = git("status", "--porcelain", "--untracked-files=no").stdout.trim() !== "";
  return `${head.stdout.trim()}${isModified ? "-modified" : ""}`;
}

import { spawnSync } from "node:child_process";
import type { Environment } from "../contract/enums.ts";
import { incidentsKnownAt } from "../contract/service/status.ts";
import { deliverySetup } from "../delivery/delivery-setup.ts";
import type { Config } from "../kernel/config/config.ts";
import { OperatorError } from "../kernel/errors.ts";
import { OperatorSettings, type ReleaseSettings } from "../snapshot/release-settings.ts";
import type { CommandContext } from "./context.ts";
import { existingState } from "./existing-state.ts";
import { measured } from "./measured.ts";
import { missingTexts, readIncidents, readOperatorTexts } from "./operator-texts.ts";

/** What the configuration, and the files that it names, say about a release at `now` (ms). Throws OperatorError for a file that is wrong. */
export function operatorSettings(config: Config, environment: Environment, now: number): OperatorSettings {
  const { baseUrl, securityContact, operatorName } = config;
  return OperatorSettings.parse({
    baseUrl,
    externalTimestamping: config.timestampAuthority !== undefined,
    securityContact,
    operatorName,
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

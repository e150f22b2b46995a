import { OperatorError } from "../../kernel/errors.ts";
import type { NightlyStatus } from "../../kernel/status-files.ts";
import { type CommandContext, homeOf } from "../../operations/context.ts";
import { ExitError } from "../../operations/failure-text.ts";
import { openLateRelease, settleIncidents } from "../../operations/incidents.ts";
import { runNight } from "../../operations/night/night.ts";
import { EXIT, monitorLine } from "../../operations/night/run-steps.ts";
import { nightlyOnlineChecks, plannedOnlineChecks } from "../../operations/online/online-checks.ts";
import { makeRelease } from "../../operations/release.ts";
import { approveRelease, holdReleases } from "../../operations/releases/approve.ts";
import { chosenReleases, diffReleases } from "../../operations/releases/diff.ts";
import { diffLines } from "../../operations/releases/diff-text.ts";
import { type ListedRelease, listReleases } from "../../operations/releases/known.ts";
import { type Bare, command, family, nothing } from "../command.ts";
import { whole } from "../options.ts";
import { Output, shown } from "../output.ts";

const nightly = command({
  path: "nightly",
  takes: (bare: Bare) => bare.option("--now", "also take in today's lines and seal today's rows"),
  access: "none",
  clock: "writes rows",
  help:
    `\nExit code ${EXIT.done}: done. ${EXIT.failed}: refused or failed; the previous release stays published. ` +
    `${EXIT.degraded}: the release is published, but another step failed. ` +
    `${EXIT.held}: the release is built and held, and the previous one stays published; see presence release list. ${EXIT.busy}: another night is running.`,
  async run({ context, clock }, { now }) {
    const status = await runNight(context, { now, clock });
    return new Output({ json: status, text: [monitorLine(status)], failure: nightFailure(status) });
  },
});

/** Why the night did not end as it should. */
function nightFailure({ exit_code, steps }: NightlyStatus): ExitError | undefined {
  if (exit_code === EXIT.done) return undefined;
  const [first = "nightly: failed", ...lines] = steps.flatMap(({ name, outcome, facts }) => {
    if (outcome === "held")
      return [
        `nightly: the release ${facts["release"]} is held: ${facts["held_because"]}. The previous one stays published. Read \`presence release diff\``,
      ];
    if (outcome !== "failed") return [];
    return [`nightly: ${name} failed: ${String(facts["error"]).replace(/^presence: /, "")}`];
  });
  return new ExitError(exit_code ?? EXIT.failed, first, { lines });
}

const build = command({
  path: "build",
  takes: (bare: Bare) =>
    bare
      .option(
        "--as-of <time>",
        "time that windows and ages refer to: a date or a time with zone (default: now)",
      )
      .option("--tree-size <rows>", "rebuild from an earlier checkpoint of this size")
      .option(
        "--against <release>",
        "id of a kept release for the change file, or none (default: the previous one)",
      )
      .option("--anew", "reuse no file of the previous release, which may be damaged"),
  access: "none",
  help: `\nExit code ${EXIT.held}: the release is built and held (see presence release).`,
  async run({ context }, options) {
    if (options.asOf === undefined) openLateRelease(context);
    const { held, ...summary } = await makeRelease(context, options);
    if (options.asOf === undefined && held === null) await settleIncidents(context);
    const fields = {
      release: summary.releaseId,
      state: held === null ? "published" : "held",
      ...(held && { held_because: held.findings.map(({ text }) => text) }),
      ...shown(summary, "directory", "rows", "observations", "records", "cities"),
      ...shown(summary, "filesWritten", "filesLinked", "releasesRemoved"),
      links_checked: summary.links,
      ...shown(summary, "seconds", "peakMemoryMb"),
    };
    const refusal = "the release is held, and the previous one stays published: read `presence release diff`";
    return new Output({
      json: fields,
      text: fields,
      ...(held !== null && { failure: new ExitError(EXIT.held, refusal) }),
    });
  },
});

const release = family("release", {
  help: `
A release that loses records, observations, eligible records or coverage without a reason is built and held (how
much: STRICTNESS; docs/operations/way-back.md has the table). The one before stays published, and readers are told
that the next one is late, under review. What was decided, erased or undone holds nothing.

  presence release list             what is published, held and kept, and why
  presence release diff             the held release against the published one
  presence release approve ID       publish it; or mend the cause and run presence nightly again
  presence release hold             hold every release until you approve one`,
});

const listAll = command({
  path: "release list",
  does: "list the releases, newest first, with the bounds that the held one exceeds",
  takes: nothing,
  access: "none",
  run({ context }) {
    const { hold, releases } = listReleases(homeOf(context));
    return new Output({
      json: { hold, releases },
      text: [
        ...holdLines(hold),
        ...releases.flatMap(releaseLines),
        `${releases.length} ${releases.length === 1 ? "release" : "releases"}`,
      ],
    });
  },
});

const diff = command({
  path: "release diff",
  does: "list the records that differ between two releases, the differences, and the rows that explain them",
  takes: (bare: Bare) =>
    bare
      .argument("[from]", "id of the earlier release (default: the published one)")
      .argument("[to]", "id of the later release (default: the held one)")
      .option("--city <slug>", "of one city only"),
  access: "none",
  help: "\nRecords that were erased are counted and never named. --json has all records and rows.",
  run({ context }, { city }, from, to) {
    const home = homeOf(context);
    const found = diffReleases(home, chosenReleases(home, from, to), city);
    return new Output({ json: found, text: diffLines(found) });
  },
});

const MAX_NOTE = 500;

const hold = command({
  path: "release hold",
  does: "hold every release that is built from now on, until you approve one",
  takes: (bare: Bare) => bare.option("--note <text>", "the reason, shown in the list"),
  access: "none",
  help: "\nNights go on: they seal, build and judge, and end with exit code 3.",
  run({ context }, { note }) {
    if (note !== undefined && note.length > MAX_NOTE)
      throw new OperatorError(`--note must be at most ${MAX_NOTE} characters long (got ${note.length})`);
    return { on_hold_since: holdReleases(context, note).since };
  },
});

const approve = command({
  path: "release approve",
  does: "publish the held release, send its new events, and lift the hold",
  takes: (bare: Bare) =>
    bare.argument("[release]", "id of the held release; omit it to lift a hold without a held release"),
  access: "none",
  help: "\nRefused after an erasure that the release does not have: run presence nightly again.",
  async run({ context }, _, id) {
    const { published, holdLifted, releasesRemoved, alerts } = await approveRelease(context, id);
    if (published !== null) await settleIncidents(context);
    return { published, hold_lifted: holdLifted, releases_removed: releasesRemoved, alerts };
  },
});

function holdLines(hold: ReturnType<typeof listReleases>["hold"]): string[] {
  if (hold === null) return [];
  const note = hold.note === null ? "" : ` (${hold.note})`;
  return [`on hold since ${hold.since}${note}: every release waits for presence release approve`, ""];
}

function releaseLines({
  release,
  state,
  as_of,
  tree_size,
  mends,
  findings,
  problem,
}: ListedRelease): string[] {
  const patch = mends === null ? "" : `  mends ${mends}`;
  return [
    `${release}  ${state.padEnd(9)}  as of ${as_of}  ${tree_size} rows${patch}`,
    ...findings.map(({ text }) => `    ${text}`),
    ...(problem === null ? [] : [`    cannot be approved: ${problem}. Run presence nightly again`]),
  ];
}

const runOnline = command({
  path: "online run",
  does: "run the online checks that are due; they change neither rows nor scores",
  takes: (bare: Bare) =>
    bare
      .option(
        "--budget <records>",
        "maximum number of records (default: ONLINE_CHECKS_PER_NIGHT)",
        whole("--budget"),
      )
      .option("--dry-run", "list the records that would be checked, without any request"),
  access: "none",
  async run({ context }, { budget = nightlyBudget(context), dryRun }) {
    if (dryRun) {
      const planned = plannedOnlineChecks(context, budget);
      return {
        planned: planned.length,
        never_checked: planned.filter(({ lastCheck }) => lastCheck === undefined).length,
        records: planned.map(({ record }) => record),
      };
    }
    const { left, unavailable, ...counts } = await nightlyOnlineChecks(context, { budget });
    return { ...counts, left_for_later: left, unavailable };
  },
});

function nightlyBudget({ config }: CommandContext): number {
  const { checksPerNight } = config.online;
  if (checksPerNight > 0) return checksPerNight;
  throw new OperatorError("online checks are off: set ONLINE_CHECKS_PER_NIGHT, or give --budget");
}

export const commands = [nightly, build, release, listAll, diff, hold, approve, runOnline];

import type { Command } from "@commander-js/extra-typings";
import type { CityMoves, Share } from "../../../build/judge/moves.ts";
import { OperatorError } from "../../../kernel/errors.ts";
import {
  type CommandContext,
  homeOf,
  printJson,
  printLines,
  printResult,
} from "../../../operations/context.ts";
import { settleIncidents } from "../../../operations/incidents/publish-incidents.ts";
import { approveRelease, holdReleases } from "../../../operations/releases/approve.ts";
import { chosenReleases, diffReleases, type ReleaseDiff } from "../../../operations/releases/diff.ts";
import { type ListedRelease, listReleases, releaseIdOf } from "../../../operations/releases/known.ts";
import { JSON_OPTION } from "../../command.ts";

const ABOUT = `
A release that exceeds a bound (HOLD_… in the manual, Environment) is built and held; the one before stays
published, and readers are told that the next one is late, under review. Erasures are never held.

  presence release list             what is published, held and kept, and why
  presence release diff             the held release against the published one
  presence release approve ID       publish it; or mend the cause and run presence nightly again
  presence release hold             hold every release until you approve one`;

export function define(release: Command, context: CommandContext): void {
  release.addHelpText("after", ABOUT);
  defineReading(release, context);
  release
    .command("hold")
    .description("hold every release that is built from now on, until you approve one")
    .option("--note <text>", "why, for whoever reads the list")
    .option(...JSON_OPTION)
    .addHelpText("after", "\nNights go on: they seal, build and judge, and end with exit code 3.")
    .action(({ note, json }) => {
      if (note !== undefined && note.length > MAX_NOTE)
        throw new OperatorError(`--note must be at most ${MAX_NOTE} characters long (got ${note.length})`);
      printResult(context, json, { on_hold_since: holdReleases(context, note).since });
    });
  release
    .command("approve")
    .argument(
      "[release]",
      "id of the held release; leave it out to lift a hold under which nothing was built",
    )
    .description("publish the held release, send what is new in it, and lift the hold")
    .option(...JSON_OPTION)
    .addHelpText(
      "after",
      "\nRefused after an erasure that the release does not have: run presence nightly again.",
    )
    .action(async (id, { json }) => {
      const { published, holdLifted, releasesRemoved, alerts } = await approveRelease(context, id);
      if (published !== null) await settleIncidents(context);
      printResult(context, json, {
        published,
        hold_lifted: holdLifted,
        releases_removed: releasesRemoved,
        alerts,
      });
    });
}

const MAX_NOTE = 500;

function defineReading(release: Command, context: CommandContext): void {
  release
    .command("list")
    .description("list the releases, newest first, with what the held one exceeds")
    .option(...JSON_OPTION)
    .action(({ json }) => {
      const { hold, releases } = listReleases(homeOf(context));
      if (json) printJson(context, { hold, releases });
      else printLines(context, [...holdLines(hold), ...releases.flatMap(releaseLines)]);
    });
  release
    .command("diff")
    .argument("[from]", "id of the earlier release (default: the published one)")
    .argument("[to]", "id of the later release (default: the held one)")
    .description("show what differs between two releases, in all and city by city")
    .option(...JSON_OPTION)
    .addHelpText("after", "\nRecords that are gone are counted and never named: they may have opted out.")
    .action((from, to, { json }) => {
      const { before, after } = chosenReleases(homeOf(context), from, to);
      const diff = diffReleases(before, after);
      if (json) printJson(context, diffFields(diff));
      else printLines(context, diffLines(diff, releaseIdOf(before), releaseIdOf(after)));
    });
}

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

function diffFields({ changes, cities, gone }: ReleaseDiff) {
  return { ...changes, records_gone: gone, cities };
}

const MAX_NAMED = 20;

function diffLines({ changes, cities, gone }: ReleaseDiff, from: string, to: string): string[] {
  const { added, changed, merged, records } = changes;
  return [
    `from ${from} to ${to}`,
    `records: ${added} added, ${changed} changed, ${merged} merged, ${gone.moved} gone`,
    ...(cities === null
      ? ["the earlier release was made by another version of this program: only records can be compared"]
      : cities.map(cityLine)),
    ...records.slice(0, MAX_NAMED).map((row) => `    ${row.change.padEnd(7)}  ${row.public_id}`),
    ...(records.length > MAX_NAMED ? [`    … and ${records.length - MAX_NAMED} more (--json has all)`] : []),
  ];
}

function cityLine({ city, records, added, scores, ranks, cells, level }: CityMoves): string {
  const share = ({ moved, of }: Share) => `${moved} of ${of}`;
  const levels = level.before === level.after ? level.after : `${level.before}, now ${level.after}`;
  return `${city}: gone ${share(records)}, added ${added}, scores moved ${share(scores)}, ranks moved ${share(ranks)}, cells moved ${share(cells)}, coverage level ${levels}`;
}

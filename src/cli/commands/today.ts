import { z } from "zod";
import { OperatorError } from "../../kernel/errors.ts";
import { utcDayStart } from "../../kernel/time.ts";
import { dayOf, type Today } from "../../operations/today.ts";
import { type Bare, command } from "../command.ts";
import { Output } from "../output.ts";

const today = command({
  path: "today",
  takes: (bare: Bare) => bare.option("--day <date>", "another UTC day (2026-01-31)", day),
  access: "none",
  help: `
What waits and what is published is of now, whatever the day. Of the night, the last one is known; of files, the last
400 days.`,
  async run({ context }, { day: asked }) {
    const shown = await dayOf(context, asked ?? utcDayStart(context.clock()));
    return new Output({ json: shown, text: screen(shown) });
  },
});

function day(text: string): number {
  if (z.iso.date().safeParse(text).success) return Date.parse(text);
  throw new OperatorError(`--day must be a date such as 2026-01-31 (got ${text})`);
}

function screen({ day, came_in, waits, outbox, release, night, api }: Today): string[] {
  return [
    `${day} (UTC)`,
    ...part("came in", [
      `${of(came_in.files, "file")}: ${n(came_in.read)} read, ${n(came_in.accepted)} accepted, ${n(came_in.already_known)} known, ${n(came_in.rejected)} rejected`,
      ...counted("by source", came_in.by_source),
      ...counted("refused", came_in.rejected_by_reason),
    ]),
    ...part("waits", [
      `${of(waits.lines_for_the_night, "line")} for the night, ${n(waits.lines_for_a_reviewer)} for a reviewer`,
      ...named("held back, waits for your approval", waits.held_back_batches),
      ...named("first delivery, waits for your approval", waits.first_deliveries),
      ...counted("decisions", waits.decisions, "none"),
      ...(outbox === null
        ? []
        : [`outbox: ${of(outbox.emails, "email")}, ${of(outbox.webhooks, "webhook")}`]),
    ]),
    ...part("published", releaseLines(release)),
    ...part("night", nightLines(night)),
    ...part("API", apiLines(api)),
  ];
}

function part(name: string, lines: readonly string[]): string[] {
  return lines.map((line, at) => `${(at === 0 ? name : "").padEnd(10)} ${line}`);
}

function n(count: number): string {
  return count.toLocaleString("en-US");
}

function of(count: number, what: string): string {
  return `${n(count)} ${what}${count === 1 ? "" : "s"}`;
}

/** Batches, with the command that shows one. */
function named(what: string, batches: readonly string[]): string[] {
  return batches.length === 0 ? [] : [`${what} (\`presence batch show BATCH\`): ${batches.join(", ")}`];
}

/** The names with their counts; those of nothing are left out. */
function counted(what: string, counts: Readonly<Record<string, number>>, nothing?: string): string[] {
  const known = Object.entries(counts).filter(([, count]) => count > 0);
  if (known.length === 0) return nothing === undefined ? [] : [`${what}: ${nothing}`];
  return [`${what}: ${known.map(([name, count]) => `${name} ${n(count)}`).join(", ")}`];
}

function releaseLines(release: Today["release"]): string[] {
  if (release === null) return ["no release yet: `presence nightly` builds the first"];
  const { as_of, records, against, changed, held } = release;
  return [
    `${of(records, "record")} as of ${as_of} (${release.release})`,
    against === null
      ? "nothing to compare with"
      : `${n(changed.added)} added, ${n(changed.changed)} changed, ${n(changed.merged)} merged, ${n(changed.gone)} gone since ${against}`,
    ...(held === null
      ? []
      : [`HELD since ${held.since}: ${held.findings.join("; ") || "the operator holds releases"}`]),
  ];
}

function nightLines(night: Today["night"]): string[] {
  if (night === null) return ["none ran on that day, or a later one did since"];
  const { state, started_at, seconds, failed, ledger_bytes_added, disk_bytes_used } = night;
  const all = Object.values(seconds).reduce((sum, each) => sum + each, 0);
  const steps = Object.entries(seconds).map(([name, each]) => `${name} ${each.toFixed(1)} s`);
  const bytes = [
    ["ledger", ledger_bytes_added],
    ["disk", disk_bytes_used],
  ] as const;
  const known = bytes.flatMap(([what, added]) => (added === null ? [] : [`${what} ${signed(added)}`]));
  return [
    `${state}, from ${started_at}, ${all.toFixed(1)} s: ${steps.join(", ")}`,
    ...(failed.length > 0 ? [`failed: ${failed.join(", ")}`] : []),
    ...(known.length > 0 ? [known.join(", ")] : []),
  ];
}

function signed(bytes: number): string {
  return `${bytes < 0 ? "-" : "+"}${(Math.abs(bytes) / (1 << 20)).toFixed(1)} MiB`;
}

function apiLines(api: Today["api"]): string[] {
  if (api === null) return ["nothing is counted: there is no state"];
  return [
    `${of(api.requests, "request")}, ${n(api.errors)} errors (5xx), ${n(api.rate_limited)} rate limited`,
    ...counted("by client", api.by_client),
    ...counted("partners", api.partners),
    ...counted("most asked", api.top_endpoints),
    ...counted("cities", api.top_cities),
  ];
}

export const commands = [today];

/** One `presence nightly` with interruptions, followed by independent checks. */

import { existsSync, readdirSync } from "node:fs";
import { z } from "zod";
import { currentRelease } from "../../../src/build/stages/publish.ts";
import {
  type NightlyStatus,
  readNightlyStatus,
  NightlyStatus as Status,
} from "../../../src/kernel/status-files.ts";
import { endGroup, type Outcome } from "../../support/operations/presence-process.ts";
import type { Machine } from "./machine.ts";

const NIGHTLY = ["nightly", "--json"];
const BUILD = "build";

export interface NightRun {
  readonly seconds: number;
  readonly held: number;
  readonly rows: number;
  readonly records: number;
  readonly faults: readonly string[];
}

const Sealed = z.object({ held_for_review: z.int() });
const Built = z.object({ rows: z.int(), records: z.int() });

/** A night that must come to its end, and one right after it that must find nothing to do. */
export async function runNight(machine: Machine): Promise<NightRun> {
  const { status, ended } = await nightly(machine);
  if (status === undefined || status.state === "failed")
    throw new Error(`presence nightly ended with ${ended.code}:\n${ended.stderr}`);
  const { facts } = stepOf(status, BUILD);
  const { rows, records } = Built.parse(facts);
  const { held_for_review: held } = Sealed.parse(stepOf(status, "seal").facts);
  const release = currentRelease(machine.home) ?? "";
  const faults = [
    ...endFaults(status, ended),
    ...(release.endsWith(String(facts["release"]))
      ? []
      : [`the night built ${facts["release"]}, not ${release}`]),
    ...(await secondNightFaults(machine)),
  ];
  return { seconds: ended.seconds, held, rows, records, faults };
}

async function nightly(machine: Machine): Promise<{ status: NightlyStatus | undefined; ended: Outcome }> {
  const ended = await machine.run(NIGHTLY);
  const status = ended.stdout === "" ? undefined : Status.parse(JSON.parse(ended.stdout));
  return { status, ended };
}

function stepOf({ steps }: NightlyStatus, name: string) {
  const step = steps.find((each) => each.name === name);
  if (step === undefined) throw new Error(`the night has no step ${name}: ${JSON.stringify(steps)}`);
  return step;
}

function endFaults({ state, exit_code, steps }: NightlyStatus, { code, stderr }: Outcome): string[] {
  const failed = steps.filter(({ outcome }) => outcome !== "done" && outcome !== "skipped");
  if (code === 0 && exit_code === 0 && state === "done" && failed.length === 0) return [];
  return [`the night ended with ${code}: ${state}, ${JSON.stringify(failed)} ${stderr}`];
}

async function secondNightFaults(machine: Machine): Promise<string[]> {
  const before = releasesOf(machine);
  const { status, ended } = await nightly(machine);
  if (status === undefined) return [`the second time nightly ended with ${ended.code}: ${ended.stderr}`];
  const { facts } = stepOf(status, BUILD);
  return [
    ...endFaults(status, ended),
    ...(typeof facts["resumed"] === "string" ? [] : ["the second time the night was built again"]),
    ...(releasesOf(machine) === before ? [] : ["the second time the night changed the releases"]),
  ];
}

/** What is published and kept, as one text. */
function releasesOf({ home }: Machine): string {
  const kept = existsSync(home.releases) ? readdirSync(home.releases).sort() : [];
  return [currentRelease(home) ?? "nothing", ...kept.filter((name) => !name.startsWith("."))].join(" ");
}

/** Stages of a build behind which most of it is still to come, so that a kill always finds it at work. */
export const EARLY_STAGES = ["snapshot", "ledger", "emit"] as const;

/** Kills a night as soon as a stage of its build is over. Whatever was published before must be published still. */
export async function killedNight(machine: Machine, stage: (typeof EARLY_STAGES)[number]): Promise<string[]> {
  const before = releasesOf(machine);
  const night = machine.start(NIGHTLY, { apart: true });
  await night.said(`\n${stage} `);
  endGroup(night);
  const { code } = await night.done;
  const status = readNightlyStatus(machine.home.nightly);
  return [
    ...(code === null ? [] : [`the night that was to be killed had ended with ${code}`]),
    ...(status?.state === "running" ? [] : [`a killed night is ${status?.state}`]),
    ...(releasesOf(machine) === before ? [] : ["a night was killed in its build, and the releases changed"]),
  ];
}

const Fault = z.looseObject({});
const Verified = z.object({ faults: z.array(Fault) });
const Replayed = z.object({ differences: z.array(Fault), faults: z.array(Fault) });

export interface Judged {
  readonly verifySeconds: number;
  readonly replaySeconds: number;
  readonly faults: readonly string[];
}

/** What strangers find. `kept` is a file with the checkpoint of the night before, which history must go on from. */
export async function judge(machine: Machine, kept: string | undefined): Promise<Judged> {
  const verified = await machine.run(["verify", "--json", ...(kept === undefined ? [] : ["--since", kept])]);
  const replayed = await machine.run(["replay", "--json"]);
  const found = (name: string, { code, stdout, stderr }: Outcome, form: z.ZodType) => {
    const report = stdout === "" ? undefined : form.parse(JSON.parse(stdout));
    if (code === 0 && report !== undefined) return [];
    return [`presence ${name} ended with ${code}: ${JSON.stringify(report)?.slice(0, 2000)} ${stderr}`];
  };
  return {
    verifySeconds: verified.seconds,
    replaySeconds: replayed.seconds,
    faults: [...found("verify", verified, Verified), ...found("replay", replayed, Replayed)],
  };
}

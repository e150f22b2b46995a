import { spawnSync } from "node:child_process";
import { OperatorError } from "../../kernel/errors.ts";
import { freeBytes } from "../../kernel/files/durable-file.ts";
import { type CommandContext, existingState, homeOf } from "../../operations/context.ts";
import { currentSizes, forecast, readSizes } from "../../operations/disk-sizes.ts";
import { ask, askCertificate } from "../../operations/doctor/ask.ts";
import { type CheckContext, type Level, levelOf } from "../../operations/doctor/check.ts";
import { type Diagnosis, examine } from "../../operations/doctor/checks.ts";
import { type Bare, command } from "../command.ts";
import { Output } from "../output.ts";

const SERVER_UNIT = "/etc/systemd/system/presence.service";
const SETTINGS_FOLDER = "/etc/presence";

const doctor = command({
  path: "doctor",
  takes: (bare: Bare) =>
    bare.option("--full", "check every row of the ledger, and the state's indexes, however long it takes"),
  access: "none",
  help: "\nExit code 0: no problem (warnings, notes and what is not set up are none). 1: at least one problem.",
  async run({ context }, { full = false }) {
    const checks = await examine(patientOf(context, full));
    const sizes = sizesNow(context);
    const count = findingsAt(checks, "problem").length;
    const problem = `${count} ${count === 1 ? "problem" : "problems"} found`;
    return new Output({
      json: { checks, sizes },
      text: [...checks.flatMap(plainLines), sizesLine(sizes), ...missingLines(checks)],
      ...(count > 0 && { failure: new OperatorError(problem) }),
    });
  },
});

export const commands = [doctor];

function patientOf(context: CommandContext, isFull: boolean): CheckContext {
  return {
    config: context.config,
    home: homeOf(context),
    now: context.clock(),
    isFull,
    user: context.user,
    serverUnit: SERVER_UNIT,
    settingsFolder: SETTINGS_FOLDER,
    systemctl,
    ask,
    askCertificate,
    freeBytes,
    openState: () => existingState(context),
  };
}

function systemctl(args: readonly string[]): string | undefined {
  const { status, stdout } = spawnSync("systemctl", args, { encoding: "utf8" });
  return status === 0 ? stdout : undefined;
}

type SizesNow = ReturnType<typeof sizesNow>;

function sizesNow(context: CommandContext) {
  const home = homeOf(context);
  const sizes = currentSizes(home, context.clock(), freeBytes);
  return { ...sizes, full_in_days: forecast(readSizes(home), sizes.free_bytes)?.days ?? null };
}

function findingsAt(checks: readonly Diagnosis[], level: Level) {
  return checks.flatMap(({ check, findings }) =>
    findings.filter((each) => levelOf(each) === level).map((finding) => ({ check, ...finding })),
  );
}

const WORDS: Readonly<Record<Exclude<Level, "not set up">, string>> = {
  problem: "MEND",
  warning: "SOON",
  note: "note",
};

/** Those that are not set up follow at the end. */
function plainLines({ check, findings }: Diagnosis): string[] {
  if (findings.length === 0) return [`ok     ${check}`];
  return findings.flatMap((finding) => {
    const level = levelOf(finding);
    if (level === "not set up") return [];
    const { problem, mend } = finding;
    const line = `${WORDS[level].padEnd(6)} ${check}: ${problem}`;
    return mend === "" ? [line] : [line, `       ${mend}`];
  });
}

function missingLines(checks: readonly Diagnosis[]): string[] {
  const missing = findingsAt(checks, "not set up");
  if (missing.length === 0) return [];
  return [
    "",
    "not set up",
    ...missing.map(({ check, problem, mend }) => `       ${check}: ${problem}: ${mend}`),
  ];
}

function sizesLine({ ledger_bytes, state_bytes, free_bytes, full_in_days }: SizesNow): string {
  const mib = (bytes: number) => `${Math.ceil(bytes / (1 << 20)).toLocaleString("en-US")} MiB`;
  const end = full_in_days === null ? "" : `; full in ${full_in_days} days, as the last nights went`;
  return `sizes  ledger ${mib(ledger_bytes)}, state ${mib(state_bytes)}, free ${mib(free_bytes)}${end}`;
}

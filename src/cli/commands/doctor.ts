import { spawnSync } from "node:child_process";
import { OperatorError } from "../../kernel/errors.ts";
import { freeBytes } from "../../kernel/files/durable-file.ts";
import { type CommandContext, existingState, homeOf } from "../../operations/context.ts";
import { currentSizes, forecast, readSizes } from "../../operations/disk-sizes.ts";
import type { CheckContext } from "../../operations/doctor/check.ts";
import { type Diagnosis, examine } from "../../operations/doctor/checks.ts";
import { type Bare, command } from "../command.ts";
import { Output } from "../output.ts";

const SERVER_UNIT = "/etc/systemd/system/presence.service";

const doctor = command({
  path: "doctor",
  takes: (bare: Bare) =>
    bare.option("--full", "check every row of the ledger, and the state's indexes, however long it takes"),
  access: "none",
  help: "\nExit code 0: no problem. 1: at least one problem.",
  async run({ context }, { full = false }) {
    const checks = await examine(patientOf(context, full));
    const sizes = sizesNow(context);
    const count = checks.reduce((sum, { findings }) => sum + findings.length, 0);
    const problem = `${count} ${count === 1 ? "problem" : "problems"} found`;
    return new Output({
      json: { checks, sizes },
      text: [...checks.flatMap(plainLines), sizesLine(sizes)],
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
    systemctl,
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

function plainLines({ check, findings }: Diagnosis): string[] {
  if (findings.length === 0) return [`ok     ${check}`];
  return findings.flatMap(({ problem, mend }) => [`MEND   ${check}: ${problem}`, `       ${mend}`]);
}

function sizesLine({ ledger_bytes, state_bytes, free_bytes, full_in_days }: SizesNow): string {
  const mib = (bytes: number) => `${Math.ceil(bytes / (1 << 20)).toLocaleString("en-US")} MiB`;
  const end = full_in_days === null ? "" : `; full in ${full_in_days} days, as the last nights went`;
  return `sizes  ledger ${mib(ledger_bytes)}, state ${mib(state_bytes)}, free ${mib(free_bytes)}${end}`;
}

import { readFileSync } from "node:fs";
import { setFlagsFromString } from "node:v8";
import type { Command } from "commander";
import { Findings } from "../../../audit/findings.ts";
import type { SignedRelease } from "../../../audit/release-manifest.ts";
import { type Progress, progressBar } from "../../../build/progress.ts";
import { OperatorError } from "../../../kernel/errors.ts";
import { type AuditOptions, auditRelease, type ReleaseFolder } from "../../../operations/audit/audit.ts";
import type { CommandContext } from "../../../operations/context.ts";
import { TimestampInvalid } from "../../../timestamp/errors.ts";
import type { TrustAnchor } from "../../../timestamp/trust-anchors.ts";
import { type PublicFilesOptions, publicFiles, withPublicFiles } from "../../public-files-option.ts";

interface VerifyOptions extends PublicFilesOptions {
  readonly vkey?: string;
  readonly since?: string;
  readonly tsaCa?: string;
  readonly json?: boolean;
}

export function defineVerify(command: Command, context: CommandContext): void {
  withPublicFiles(command)
    .option("--vkey <key>", "a verification key of the log that you know from elsewhere")
    .option("--since <file>", "a checkpoint that you kept: history must not have changed since")
    .option("--tsa-ca <file>", "PEM certificates of the time-stamp authority that you trust")
    .option("--json", "print counts and faults as JSON")
    .addHelpText("after", "\nExit code 0: no fault. 1: faults, each named, or the check could not be made.")
    .action((options: VerifyOptions) => verify(context, options));
}

async function verify(context: CommandContext, options: VerifyOptions): Promise<void> {
  // What is made of a row is of no use after it: more room for young objects takes 70 MB and saves no time (measured).
  setFlagsFromString("--semi-space-growth-factor=1");
  const findings = new Findings();
  const subject = publicFiles(context, options);
  const bar = progressBar(context.stderr, "checking", context.clock);
  const asked = await auditOptions(options, bar);
  const audit = auditRelease(subject.files, subject.folder, asked, findings);
  const release = await audit.finally(() => bar.done());
  const report = { ...subject, release, findings };
  if (options.json === true) context.stdout.write(`${JSON.stringify(jsonReport(report))}\n`);
  else for (const line of plainReport(report)) context.stdout.write(`${line}\n`);
  if (findings.faults.length > 0) throw new OperatorError(`${subject.name}: does not verify`);
}

async function auditOptions({ vkey, since, tsaCa }: VerifyOptions, bar: Progress): Promise<AuditOptions> {
  return {
    vkey,
    remembered: since === undefined ? undefined : readOption(since, "--since"),
    anchors: tsaCa === undefined ? undefined : await trustedAuthorities(tsaCa),
    progress: (files) => bar.update(files, 0),
  };
}

interface Report {
  readonly name: string;
  readonly folder: ReleaseFolder | undefined;
  readonly release: SignedRelease | undefined;
  readonly findings: Findings;
}

function jsonReport({ name, release, findings }: Report) {
  return {
    subject: name,
    origin: release?.head.origin ?? null,
    tree_size: release?.head.size ?? null,
    checked: findings.counts(),
    faults: findings.faults,
  };
}

function* plainReport({ name, folder, release, findings }: Report): Generator<string> {
  for (const { subject, problem } of findings.faults) yield printable(`FAULT  ${subject}: ${problem}`);
  yield "checked:";
  for (const [what, count] of Object.entries(findings.counts()))
    yield `${count.toLocaleString("en-US").padStart(12)}  ${what}`;
  if (release === undefined)
    yield "Nothing else was checked: without keys, checkpoint and manifest that are in order, nothing else can be judged.";
  else if (folder === undefined)
    yield "Not checked from a URL: compressed twins, files in no list, the database.";
  else if (folder.snapshot === undefined) yield "Not checked in a copy of the site alone: the database.";
  const { length } = findings.faults;
  yield `${name}: ${length === 0 ? "no fault" : `${length} ${length === 1 ? "fault" : "faults"}`}`;
}

/** Names and texts of a stranger's files must not steer the terminal. */
function printable(line: string): string {
  return line.replaceAll(/\p{Cc}/gu, "?");
}

async function trustedAuthorities(path: string): Promise<TrustAnchor[]> {
  const { trustAnchorsFromPem } = await import("../../../timestamp/trust-anchors.ts");
  const pem = readOption(path, "--tsa-ca");
  try {
    return trustAnchorsFromPem(pem);
  } catch (cause) {
    if (!(cause instanceof TimestampInvalid)) throw cause;
    throw new OperatorError(`--tsa-ca ${path}: ${cause.message}`, { cause });
  }
}

function readOption(path: string, option: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    throw new OperatorError(`${option} ${path}: the file cannot be read`, { cause });
  }
}

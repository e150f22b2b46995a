import { setFlagsFromString } from "node:v8";
import { type Command, InvalidArgumentError, Option } from "@commander-js/extra-typings";
import { withProgress } from "../../../build/progress.ts";
import { OperatorError } from "../../../kernel/errors.ts";
import { readNamedFile } from "../../../kernel/files/named-file.ts";
import { auditRelease, type ReleaseFolder } from "../../../operations/audit/audit.ts";
import type { RecordSample } from "../../../operations/audit/made-documents.ts";
import { type CommandContext, printJson, printLines } from "../../../operations/context.ts";
import { Findings } from "../../../proof/audit/findings.ts";
import type { SignedRelease } from "../../../proof/audit/release-manifest.ts";
import { TimestampInvalid } from "../../../proof/timestamp/authority.ts";
import type { TrustAnchor } from "../../../proof/timestamp/certificates.ts";
import { VKEY_OPTION } from "../../command.ts";
import { publicFiles, withPublicFiles } from "../../public-files-option.ts";

export function define(command: Command, context: CommandContext): void {
  withPublicFiles(command)
    .option(...VKEY_OPTION)
    .option("--since <file>", "a checkpoint that you kept: check that history has not changed since")
    .option("--tsa-ca <file>", "PEM certificates of the timestamp authority that you trust")
    .addOption(
      new Option(
        "--records <count>",
        "of a site whose server makes the documents of records: compare those of so many records, drawn at random, or of `all`",
      )
        .default<RecordSample>(RECORDS_COMPARED)
        .argParser(recordSample),
    )
    .option("--json", "print counts and faults as JSON")
    .addHelpText("after", "\nExit code 0: no fault. 1: faults, each named, or the check could not be made.")
    .action(async ({ vkey, since, tsaCa, records, json, ...place }) => {
      // Objects made of a row die young: more room for them costs 70 MB and saves no time (measured).
      setFlagsFromString("--semi-space-growth-factor=1");
      const findings = new Findings();
      const subject = publicFiles(context, place);
      const remembered = since === undefined ? undefined : readNamedFile(since, "--since");
      const anchors = tsaCa === undefined ? undefined : await trustedAuthorities(tsaCa);
      const release = await withProgress(context, "checking", (update) => {
        const made = { sample: records, random: context.random };
        const options = { vkey, remembered, anchors, made, progress: (files: number) => update(files, 0) };
        return auditRelease(subject.files, subject.folder, options, findings);
      });
      const report = { ...subject, release, findings };
      if (json) printJson(context, jsonReport(report));
      else printLines(context, plainReport(report));
      if (findings.faults.length > 0) throw new OperatorError(`${subject.name}: does not verify`);
    });
}

/** Their documents stay below what a server answers one client in a minute. */
const RECORDS_COMPARED = 30;

function recordSample(text: string): RecordSample {
  if (text === "all") return text;
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("must be a number of records, or all");
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
  for (const { subject, problem } of findings.faults) yield `FAULT  ${subject}: ${problem}`;
  yield "checked:";
  for (const [what, count] of Object.entries(findings.counts()))
    yield `${count.toLocaleString("en-US").padStart(12)}  ${what}`;
  if (release === undefined)
    yield "Nothing else was checked: every other check needs valid keys, checkpoint and manifest.";
  else if (folder === undefined) yield "Not checked for a URL: unlisted files, the database.";
  else if (folder.snapshot === undefined) yield "Not checked for a copy of the site: the database.";
  const { length } = findings.faults;
  yield `${name}: ${length === 0 ? "no fault" : `${length} ${length === 1 ? "fault" : "faults"}`}`;
}

async function trustedAuthorities(path: string): Promise<TrustAnchor[]> {
  const { trustAnchorsFromPem } = await import("../../../proof/timestamp/certificates.ts");
  const pem = readNamedFile(path, "--tsa-ca");
  try {
    return trustAnchorsFromPem(pem);
  } catch (cause) {
    if (!(cause instanceof TimestampInvalid)) throw cause;
    throw new OperatorError(`--tsa-ca ${path}: ${cause.message}`, { cause });
  }
}

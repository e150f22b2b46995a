import { createReadStream } from "node:fs";
import { type Command, Option } from "commander";
import {
  checkDisclosure,
  type DisclosedValue,
  type DisclosureCheck,
  type DisclosureTrust,
} from "../../../audit/check-disclosure.ts";
import { MAX_DISCLOSURE_BYTES } from "../../../contract/ledger/ledger-disclosure.ts";
import { OperatorError } from "../../../kernel/errors.ts";
import type { CommandContext } from "../../../operations/context.ts";
import { type PublicFilesOptions, publicFiles } from "../../public-files-option.ts";

interface CheckOptions extends PublicFilesOptions {
  readonly vkey?: string;
  readonly json?: boolean;
}

export function defineCheckDisclosure(command: Command, context: CommandContext): void {
  command
    .argument("<file>", "what `presence disclose` wrote; - is standard input")
    .option("--vkey <key>", "a verification key of the log that you know from elsewhere")
    .option("--url <address>", "the site: its keys, and that it publishes this leaf and this tree head")
    .addOption(
      new Option("--release <folder>", "the same with a release, or a copy of its site").conflicts("url"),
    )
    .option("--json", "print steps and value as JSON")
    .addHelpText("after", "\nExit code 0: every step passed. 1: a step failed, each named.")
    .action((file: string, options: CheckOptions) => check(context, file, options));
}

async function check(context: CommandContext, file: string, options: CheckOptions): Promise<void> {
  const trust = trustOf(context, options);
  const result = await checkDisclosure(await readDocument(file), trust);
  if (options.json === true) context.stdout.write(`${JSON.stringify(jsonReport(file, result))}\n`);
  else for (const line of plainReport(result)) context.stdout.write(`${printable(line)}\n`);
  const failed = result.steps.filter(({ state }) => state === "failed").map(({ step }) => step);
  if (failed.length > 0) throw new OperatorError(`${file}: does not verify: ${failed.join(", ")}`);
}

function trustOf(context: CommandContext, options: CheckOptions): DisclosureTrust {
  const { vkey, url, release } = options;
  if (url !== undefined || release !== undefined) return { vkey, files: publicFiles(context, options).files };
  if (vkey !== undefined) return { vkey };
  throw new OperatorError(
    "check-disclosure: nothing to check the signature with: give --vkey, --url or --release",
  );
}

/** No more than one byte above what is allowed: the check refuses that. */
async function readDocument(file: string): Promise<string> {
  const stream = file === "-" ? process.stdin : createReadStream(file, { end: MAX_DISCLOSURE_BYTES });
  const parts: Buffer[] = [];
  let length = 0;
  try {
    for await (const part of stream) {
      parts.push(Buffer.from(part));
      length += part.length;
      if (length > MAX_DISCLOSURE_BYTES) break;
    }
  } catch (cause) {
    throw new OperatorError(`${file}: the file cannot be read`, { cause });
  }
  return Buffer.concat(parts).toString("utf8");
}

function jsonReport(file: string, { steps, disclosed }: DisclosureCheck) {
  return {
    subject: file,
    verified: disclosed !== undefined,
    steps,
    ...(disclosed !== undefined && {
      origin: disclosed.origin,
      tree_size: disclosed.treeSize,
      row: disclosed.row,
      kind: disclosed.kind,
      field: disclosed.field,
      value: disclosed.value,
    }),
  };
}

function* plainReport({ steps, disclosed }: DisclosureCheck): Generator<string> {
  for (const { step, state, says } of steps) yield `${state.padEnd(11)}  ${step}: ${says}`;
  if (disclosed !== undefined) yield* verdict(disclosed);
}

function* verdict({ origin, row, kind, field, json, treeSize }: DisclosedValue): Generator<string> {
  yield "";
  yield `log    ${origin}`;
  yield `row    ${row} (${kind})`;
  yield `field  ${field}`;
  yield `value  ${json}`;
  yield "";
  yield `This proves that the operator of ${origin} committed to this value when the row was appended, and that`;
  yield `row ${row} with this commitment is in the tree of ${treeSize} rows that its key signed. It does not prove that the`;
  yield "value is true, nor when the row was appended, nor that other rows or values are or are not there.";
}

/** A document may come from anyone: nothing in it may steer the terminal or turn its text about. */
function printable(line: string): string {
  return line.replaceAll(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,
    (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );
}

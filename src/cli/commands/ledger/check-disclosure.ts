import { createReadStream } from "node:fs";
import { type Command, Option } from "@commander-js/extra-typings";
import { MAX_DISCLOSURE_BYTES } from "../../../contract/ledger/ledger.ts";
import { OperatorError } from "../../../kernel/errors.ts";
import { type CommandContext, printJson, printLines } from "../../../operations/context.ts";
import {
  checkDisclosure,
  type DisclosedValue,
  type DisclosureCheck,
  type DisclosureTrust,
} from "../../../proof/audit/check-disclosure.ts";
import { VKEY_OPTION } from "../../command.ts";
import { publicFiles } from "../../public-files-option.ts";

export function define(command: Command, context: CommandContext): void {
  command
    .argument("<file>", "the output of `presence disclose`; - is standard input")
    .option(...VKEY_OPTION)
    .option(
      "--url <address>",
      "a site: use its keys, and check that it publishes this leaf and this checkpoint",
    )
    .addOption(
      new Option("--release <folder>", "the same for a release, or a copy of its site").conflicts("url"),
    )
    .option("--json", "print steps and value as JSON")
    .addHelpText("after", "\nExit code 0: every step passed. 1: a step failed; each is named.")
    .action(async (file, { json, ...sources }) => {
      const result = await checkDisclosure(await readDocument(file), trustOf(context, sources));
      if (json) printJson(context, jsonReport(file, result));
      else printLines(context, [...plainReport(result)].map(printable));
      const failed = result.steps.filter(({ state }) => state === "failed").map(({ step }) => step);
      if (failed.length > 0) throw new OperatorError(`${file}: does not verify: ${failed.join(", ")}`);
    });
}

interface TrustSources {
  readonly vkey?: string | undefined;
  readonly url?: string | undefined;
  readonly release?: string | undefined;
}

function trustOf(context: CommandContext, { vkey, ...place }: TrustSources): DisclosureTrust {
  if (place.url !== undefined || place.release !== undefined)
    return { vkey, files: publicFiles(context, place).files };
  if (vkey !== undefined) return { vkey };
  throw new OperatorError(
    "check-disclosure needs a key to check the signature: give --vkey, --url or --release",
  );
}

/** Reads at most one byte more than a disclosure may have, so that the check can refuse it. */
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

function jsonReport(file: string, { steps, withdrawn, disclosed }: DisclosureCheck) {
  return {
    subject: file,
    verified: disclosed !== undefined,
    withdrawn: withdrawn ?? null,
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

function* plainReport({ steps, withdrawn, disclosed }: DisclosureCheck): Generator<string> {
  for (const { step, state, says } of steps) yield `${state.padEnd(11)}  ${step}: ${says}`;
  if (withdrawn === true)
    yield "withdrawn    the service has erased what this row said. The document is unbroken; do not use the value any more.";
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
  yield "value is true, when the row was appended, or which other rows and values exist.";
}

/** Escapes characters of an untrusted document that control the terminal or the direction of its text. */
function printable(line: string): string {
  return line.replaceAll(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,
    (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );
}

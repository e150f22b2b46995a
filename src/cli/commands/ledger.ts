import { createReadStream, mkdirSync } from "node:fs";
import { Option } from "@commander-js/extra-typings";
import { MAX_DISCLOSURE_BYTES } from "../../contract/ledger/ledger.ts";
import { OperatorError } from "../../kernel/errors.ts";
import { nodeHash } from "../../kernel/hash.ts";
import { jsonText } from "../../kernel/text/terminal.ts";
import { isoTime } from "../../kernel/time.ts";
import { createLedger } from "../../ledger/database/ledger-file.ts";
import { keysDocument, type LedgerKey, type ManifestKey } from "../../ledger/keys/key-ring.ts";
import { correctClock, fetchSecurely, newestKnownTime, referenceTime } from "../../operations/clock.ts";
import { type CommandContext, homeOf } from "../../operations/context.ts";
import { sealAndStamp } from "../../operations/night/seal-and-stamp.ts";
import { ROTATIONS } from "../../operations/rotate-keys.ts";
import { takenFields } from "../../operations/take-in.ts";
import {
  checkDisclosure,
  type DisclosedValue,
  type DisclosureCheck,
  type DisclosureTrust,
} from "../../proof/audit/check-disclosure.ts";
import { FormatError, toHex } from "../../proof/tlog/bytes.ts";
import { parseTlogProof } from "../../proof/tlog/proof.ts";
import { rowProof } from "../../proof/tlog/tile-tree.ts";
import { type Bare, command, nothing } from "../command.ts";
import { VKEY_OPTION, whole, writeNewFile } from "../options.ts";
import { noted, Output } from "../output.ts";
import { publicFiles, withPublicFiles } from "../public-files-option.ts";

const init = command({
  path: "init",
  takes: (bare: Bare) =>
    bare
      .requiredOption(
        "--origin <name>",
        "permanent name of the log, a URL without scheme: example.org/presence",
      )
      .addOption(
        new Option("--environment <name>", "a demonstration's data never mixes with real data")
          .choices(["production", "demo"])
          .default("production" as const),
      ),
  access: "none",
  run({ context }, { environment, origin }) {
    const { night, ledger, keys } = homeOf(context);
    const { clock, random } = context;
    mkdirSync(night, { recursive: true });
    createLedger(ledger, { environment, origin, keysDir: keys, clock, random });
    return { ledger, keys, environment, origin };
  },
});

const seal = command({
  path: "seal",
  takes: (bare: Bare) => bare.option("--now", "also take in today's lines and seal today's rows"),
  access: "none",
  clock: "writes rows",
  async run({ context, clock }, { now }) {
    const { taken, lookRows, sealed, externalProof } = await sealAndStamp(context, { now, clock });
    const { seals, checkpoint } = sealed;
    return {
      ...takenFields(taken),
      look_rows: lookRows,
      seals: seals.length,
      rows_sealed: seals.reduce((sum, { leaf_count }) => sum + leaf_count, 0),
      tree_size: checkpoint?.size ?? null,
      root: checkpoint?.root ?? null,
      external_proof: externalProof,
    };
  },
});

const rotateKey = command({
  path: "key rotate",
  does: "replace a key by a new one; without --yes, only describe the effect",
  takes: (bare: Bare) =>
    bare
      .option("--manifest", "the key that signs the manifests of releases")
      .option("--state", "the key of the state: links in emails, secrets of webhooks")
      .option("--yes", "rotate the key"),
  access: "none",
  clock: "writes rows",
  async run({ context, clock }, { manifest, state, yes }) {
    if (manifest && state) throw new OperatorError("key rotate: give one of --manifest and --state");
    const rotation = ROTATIONS[manifest ? "manifest" : state ? "state" : "checkpoint"];
    if (!yes) throw new OperatorError(`key rotate: nothing was changed. ${await rotation.effect(context)}`);
    const { facts, notes } = await rotation.rotate(context, clock);
    return noted(facts, ...notes);
  },
});

const listKeys = command({
  path: "key list",
  does: "list the keys that sign checkpoints and manifests",
  takes: nothing,
  access: "read",
  json: "print the content of /ledger/keys.json",
  run({ ledger }) {
    const { origin, environment } = ledger.meta;
    const [ring, manifestKeys] = [ledger.keyRing(), ledger.manifestKeys()];
    return new Output({
      json: keysDocument(origin, environment, ring, manifestKeys),
      text: [...ring.all().map(keyLine), ...manifestKeys.map(manifestKeyLine)],
    });
  },
});

function keyLine({ vkey, fromSize, untilSize, createdAt, retiredAt }: LedgerKey): string {
  const sizes = `above ${fromSize}${untilSize === null ? "" : ` up to ${untilSize}`}`;
  const times = `${isoTime(createdAt)} ${retiredAt === null ? "in use" : `to ${isoTime(retiredAt)}`}`;
  return `${vkey}  ${sizes}, ${times}`;
}

function manifestKeyLine({ vkey, createdAt }: ManifestKey, at: number, all: readonly ManifestKey[]): string {
  const next = all[at + 1];
  const end = next === undefined ? "in use" : `to ${isoTime(next.createdAt)}`;
  return `${vkey}  manifests, ${isoTime(createdAt)} ${end}`;
}

const showClock = command({
  path: "clock show",
  does: "print the clock, the time of TSA_URL and TIME_URL, and the newest time that the service knows",
  takes: nothing,
  access: "none",
  async run({ context }) {
    const { config, random } = context;
    const reference = await referenceTime({ config, random, fetch: fetchSecurely });
    const known = await newestKnownTime(context);
    return {
      clock: isoTime(context.clock()),
      reference: reference && `${isoTime(reference.at)} (${reference.from})`,
      newest_known: known && `${isoTime(known.at)} (${known.what})`,
    };
  },
});

const correct = command({
  path: "clock correct",
  does: "correct a ledger whose last row lies in the future, by a row that records the correction",
  takes: (bare: Bare) => bare.requiredOption("--from <date>", "UTC date of the last row, typed in"),
  access: "none",
  clock: "writes rows",
  run: ({ context, clock }, { from }) =>
    noted(
      { ...correctClock(context, { from, clock }) },
      "run `presence seal --now` or `presence nightly`: the next seal covers the row",
    ),
});

/** Single rows for others: proofs that a row is in the log, and private values for an auditor. */

const proof = command({
  path: "proof",
  takes: (bare: Bare) =>
    withPublicFiles(bare)
      .argument("<row>", "ledger row, from 1", whole("<row>"))
      .option(
        "--size <rows>",
        "in an earlier signed tree of this size (default: the newest)",
        whole("--size"),
      ),
  access: "none",
  json: "print index, hashes and checkpoint as JSON",
  async run({ context }, { size, ...place }, row) {
    const { files, name } = publicFiles(context, place);
    try {
      const text = await rowProof({ row, size }, (path) => files.read(`ledger/${path}`), nodeHash);
      const { index, path, checkpoint } = parseTlogProof(text);
      return new Output({ json: { index, path: path.map(toHex), checkpoint }, text });
    } catch (cause) {
      if (cause instanceof FormatError) throw new OperatorError(`${name}: ${cause.message}`, { cause });
      throw cause;
    }
  },
});

const WARNING = `
The value is private. Anyone who has the document can read it, pass it on, and prove that it is in the ledger. This
cannot be undone: redaction does not reach a document that was handed over. The document discloses one field of one
row; the other values of the row stay hidden, each with its own salt. The program keeps no record of the document.
\`presence check-disclosure\` verifies it and needs nothing private.`;

const disclose = command({
  path: "disclose",
  takes: (bare: Bare) =>
    bare
      .argument("<row>", "ledger row, from 1", whole("<row>"))
      .option("--field <name>", "the field to disclose; --list prints the names of the row's fields")
      .option("--list", "print the names of the row's fields, without their values")
      .option(
        "--size <rows>",
        "prove it in an earlier signed tree of this size (default: the newest)",
        whole("--size"),
      )
      .option("--out <file>", "write to a new file, readable only by its owner (default: print)"),
  access: "read",
  json: "with --list or --out: print the result as JSON; a disclosure is always JSON",
  help: WARNING,
  async run({ ledger }, { field, list, size, out }, number) {
    if (list) {
      const { row, kind, disclosures } = ledger.rowFields(number);
      const fields = [...disclosures.keys()];
      return new Output({ json: { row, kind, fields }, text: { row, kind, fields: fields.join(", ") } });
    }
    if (field === undefined)
      throw new OperatorError(
        `disclose ${number}: --field is missing; --list prints the names of the row's fields`,
      );
    const text = jsonText(await ledger.disclose({ row: number, field, size }), 2);
    if (out === undefined) return new Output({ text });
    writeNewFile(out, `${text}\n`);
    return { row: number, field, file: out };
  },
});

const check = command({
  path: "check-disclosure",
  takes: (bare: Bare) =>
    bare
      .argument("<file>", "the output of `presence disclose`; - is standard input")
      .option(...VKEY_OPTION)
      .option(
        "--url <address>",
        "a site: use its keys, and check that it publishes this leaf and this checkpoint",
      )
      .addOption(
        new Option("--release <folder>", "the same for a release, or a copy of its site").conflicts("url"),
      ),
  access: "none",
  json: "print steps and value as JSON",
  help: "\nExit code 0: every step passed. 1: a step failed; each is named.",
  async run({ context }, sources, file) {
    const result = await checkDisclosure(await readDocument(file), trustOf(context, sources));
    const failed = result.steps.filter(({ state }) => state === "failed").map(({ step }) => step);
    return new Output({
      json: jsonReport(file, result),
      text: Array.from(plainReport(result), printable),
      ...(failed.length > 0 && {
        failure: new OperatorError(`${file}: does not verify: ${failed.join(", ")}`),
      }),
    });
  },
});

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

export const commands = [init, seal, rotateKey, listKeys, showClock, correct, proof, disclose, check];

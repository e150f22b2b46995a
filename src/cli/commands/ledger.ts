import { mkdirSync } from "node:fs";
import { Option } from "@commander-js/extra-typings";
import { OperatorError } from "../../kernel/errors.ts";
import { isoTime } from "../../kernel/time.ts";
import { createLedger } from "../../ledger/database/ledger-file.ts";
import { keysDocument, type LedgerKey, type ManifestKey } from "../../ledger/keys/key-ring.ts";
import { correctClock, fetchSecurely, newestKnownTime, referenceTime } from "../../operations/clock.ts";
import { homeOf } from "../../operations/context.ts";
import { sealAndStamp } from "../../operations/night/seal-and-stamp.ts";
import { ROTATIONS } from "../../operations/rotate-keys.ts";
import { takenFields } from "../../operations/take-in.ts";
import { type Bare, command, nothing } from "../command.ts";
import { noted, Output } from "../output.ts";

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
  does: "replace a key by a new one; without --yes, only describe what that does",
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
  does: "print the clock, the time of others (TSA_URL, TIME_URL) and the newest time that the service knows",
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
  does: "lead a ledger whose last row lies in the future back to the clock, by a row that says so",
  takes: (bare: Bare) => bare.requiredOption("--from <date>", "UTC date of the last row, typed in"),
  access: "none",
  clock: "writes rows",
  run: ({ context, clock }, { from }) =>
    noted(
      { ...correctClock(context, { from, clock }) },
      "run `presence seal --now` or `presence nightly`: the next seal covers the row",
    ),
});

export const commands = [init, seal, rotateKey, listKeys, showClock, correct];

/** What is taken out for good, in two steps: rows, records that opt out, lines before they are rows, and what is stored of a person. */

import { RedactionReason, RemovalReasonCode } from "../../contract/enums.ts";
import { isBatchName } from "../../intake/batches.ts";
import { pendingTarget } from "../../intake/erasure/erase.ts";
import { cleanName } from "../../intake/lines/name.ts";
import type { OptOutPart } from "../../intake/opt-outs/plan-opt-out.ts";
import { OperatorError } from "../../kernel/errors.ts";
import { publicIdIn } from "../../kernel/ids.ts";
import { nameKey } from "../../kernel/text/name-key.ts";
import { pendingLine } from "../../operations/erasure/requests.ts";
import { rowErasure } from "../../operations/erasure/row-erasure.ts";
import { exportSubject, findSubject, personalData } from "../../operations/erasure/subject.ts";
import { type Bare, command } from "../command.ts";
import { choice, email } from "../options.ts";
import { Output } from "../output.ts";
import { TAKES_OUT, takenOut } from "../take-out.ts";

const CONFIRM = "erase permanently; without it, only preview the erasure and print the code";

const reasonOption = <const Reason extends RedactionReason>(reasons: readonly Reason[]) =>
  choice("--reason <code>", "stays private; published as a count by month, from three on", reasons);

const redact = command({
  ...TAKES_OUT,
  path: "redact",
  takes: (bare: Bare) =>
    bare
      .argument(
        "[target]",
        "number of a row, BATCH:LINE of an accepted line that is not a row yet, or the public id of a record that is wrong as a whole",
      )
      .option("--batch <name>", "all rows of a batch, and its lines that are no rows yet")
      .addOption(reasonOption(RedactionReason.options)),
  confirm: CONFIRM,
  run(call, { reason, batch }, target) {
    const named = redactionTarget(target, batch);
    const isRecord = publicIdIn(named) === named;
    if (isRecord !== (reason === WRONG_RECORD))
      throw new OperatorError(
        `--reason ${WRONG_RECORD} and the public id of a record go together: a record goes as a whole for this reason alone`,
      );
    const pending = pendingTarget(named);
    if (pending !== undefined) return takenOut(call, pendingLine(pending, reason));
    return takenOut(call, rowErasure({ kind: "redaction", target: named, reason }));
  },
});

function redactionTarget(target: string | undefined, batch: string | undefined): string {
  if (target !== undefined && isBatchName(target))
    throw new OperatorError(`${target} is the name of a batch: for all of it give --batch ${target}`);
  if (batch !== undefined && !isBatchName(batch))
    throw new OperatorError(`--batch must be the name of a batch, such as b12 (got ${batch})`);
  const named = batch ?? target;
  if (named === undefined || (batch !== undefined && target !== undefined))
    throw new OperatorError("give what to erase: one target, or --batch NAME");
  return named;
}

const WRONG_RECORD: RedactionReason = "wrong_record";

const optOut = command({
  ...TAKES_OUT,
  path: "opt-out",
  takes: (bare: Bare) =>
    bare
      .argument("<public-id>")
      .option("--asset <public-id>", "opt out this asset of the record alone")
      .option("--place <lat,lng>", "opt out what stands at this position alone", position)
      .option("--also <name>", "refuse this name, too; repeatable", addName)
      .addOption(reasonOption(RemovalReasonCode.options)),
  confirm: CONFIRM,
  run(call, { asset, place, also, reason }, target) {
    const part = partOf(asset, place);
    return takenOut(call, rowErasure({ kind: "opt_out", target, reason, part, also }));
  },
});

function addName(text: string, known: readonly string[] = []): string[] {
  const cleaned = cleanName(text);
  if ("name" in cleaned && nameKey(cleaned.name) !== "") return [...known, cleaned.name];
  throw new OperatorError(`--also must be a name with a letter or a digit (got ${JSON.stringify(text)})`);
}

interface Position {
  readonly lat: number;
  readonly lng: number;
}

const POSITION = /^(-?\d{1,2}(?:\.\d{1,12})?),(-?\d{1,3}(?:\.\d{1,12})?)$/;

function position(text: string): Position {
  const [, lat, lng] = POSITION.exec(text) ?? [];
  const place = { lat: Number(lat), lng: Number(lng) };
  if (lat !== undefined && Math.abs(place.lat) <= 90 && Math.abs(place.lng) <= 180) return place;
  throw new OperatorError(
    `--place must be latitude and longitude in degrees, such as 43.6532,-79.3832 (got ${text})`,
  );
}

function partOf(asset: string | undefined, place: Position | undefined): OptOutPart | undefined {
  if (asset !== undefined && place !== undefined)
    throw new OperatorError("--asset and --place: give one of them");
  if (asset !== undefined) return { asset };
  return place && { place };
}

const ofPerson = (bare: Bare, description = "email address of the person") =>
  bare.argument("<email>", description, email("<email>"));

const find = command({
  path: "subject find",
  does: "count what is stored about a person",
  takes: (bare: Bare) => ofPerson(bare, "email address; every spelling of the same mailbox is found"),
  access: "none",
  run: ({ context }, _, address) => findSubject(context, address),
});

const exportAll = command({
  path: "subject export",
  does: "print a copy of what is stored about a person; it is private",
  takes: (bare: Bare) => ofPerson(bare),
  access: "none",
  json: "print the copy on one line",
  async run({ context }, _, address) {
    const copy = await exportSubject(context, address);
    return new Output({ json: copy, text: JSON.stringify(copy, undefined, 2) });
  },
});

const erasePerson = command({
  path: "subject erase",
  does: "erase what is stored about a person",
  takes: (bare: Bare) => ofPerson(bare),
  access: "none",
  confirm: CONFIRM,
  run: (call, _, address) => takenOut(call, personalData(address)),
});

export const commands = [redact, optOut, find, exportAll, erasePerson];

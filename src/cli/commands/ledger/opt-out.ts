import type { Command } from "@commander-js/extra-typings";
import { RemovalReasonCode } from "../../../contract/enums.ts";
import { cleanName } from "../../../intake/lines/name.ts";
import type { OptOutPart } from "../../../intake/opt-outs/opt-out-part.ts";
import { OperatorError } from "../../../kernel/errors.ts";
import { nameKey } from "../../../kernel/text/name-key.ts";
import type { CommandContext } from "../../../operations/context.ts";
import { rowErasure } from "../../../operations/erasure/row-erasure.ts";
import { runTakeOut, withErasureOptions } from "../../erasure.ts";

export function define(command: Command, context: CommandContext): void {
  withErasureOptions(
    command
      .argument("<public-id>")
      .option("--asset <public-id>", "opt out this asset of the record alone")
      .option("--place <lat,lng>", "opt out what stands at this position alone", position)
      .option("--also <name>", "refuse this name, too; may be given several times", addName),
    RemovalReasonCode.options,
  ).action((target, { asset, place, also, reason, ...options }) => {
    const request = { kind: "opt_out", target, reason, part: partOf(asset, place), also } as const;
    return runTakeOut(context, rowErasure(request), options);
  });
}

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

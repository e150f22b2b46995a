/** The difference of two releases for a terminal: totals first, then the records by what differs in them. */
import type { CityLosses, Share } from "../../build/judge/losses.ts";
import { RecordPart } from "../../contract/service/exports.ts";
import { number } from "../../render/words/format.ts";
import type { Reason, RecordDifference, ReleaseDiff, Shown } from "./diff.ts";

const MAX_NAMED = 20; // records of a group
const MAX_ROWS = 3; // of a reason

export function diffLines({ before, after, records, changed, losses }: ReleaseDiff): string[] {
  const of = (change: RecordDifference["change"]) => records.filter((each) => each.change === change);
  const parts = RecordPart.options.map((part) => `${part} ${number(changed[part])}`).join(", ");
  return [
    `from ${before.release_id}  as of ${before.data_as_of}  ${number(before.records)} records`,
    `to   ${after.release_id}  as of ${after.data_as_of}  ${number(after.records)} records`,
    `records: ${of("added").length} added, ${of("merged").length} merged, ${of("gone").length} gone, ${of("changed").length} changed (${parts})`,
    ...losses.map(lossLine),
    ...(["gone", "merged", "added"] as const).flatMap((change) => group(change, of(change), endOf)),
    ...RecordPart.options.flatMap((part) =>
      group(
        part,
        of("changed").filter((each) => each.changed.includes(part)),
        (each) => moveOf(part, each),
      ),
    ),
  ];
}

function lossLine({ city, records, observations, eligible, cells, tier }: CityLosses): string {
  const lost = [
    ["records gone", records],
    ["observations gone", observations],
    ["records no longer eligible", eligible],
    ["cells no longer counted", cells],
    ["coverage tier lower", tier],
  ] satisfies [string, Share][];
  const said = lost.filter(([, { moved }]) => moved > 0);
  if (said.length === 0) return `${city}: nothing is lost without a reason`;
  const texts = said.map(([what, { moved, of }]) => `${what} ${number(moved)} of ${number(of)}`);
  return `${city}: lost without a reason: ${texts.join(", ")}`;
}

function group(
  title: string,
  records: readonly RecordDifference[],
  says: (each: RecordDifference) => string,
): string[] {
  if (records.length === 0) return [];
  const lines = records.slice(0, MAX_NAMED).map((each) => {
    const name = (each.after ?? each.before)?.name;
    return `    ${[each.public_id ?? "an erased record", name, each.city, says(each), whyText(each.why)]
      .filter((text) => text !== undefined && text !== "")
      .join("  ")}`;
  });
  const more = records.length - lines.length;
  return [
    "",
    `${title} (${number(records.length)})`,
    ...lines,
    ...(more > 0 ? [`    … and ${number(more)} more (--json has all)`] : []),
  ];
}

function endOf({ before, after, merged_into }: RecordDifference): string {
  if (merged_into !== null) return `-> ${merged_into}`;
  const shown = after ?? before;
  return shown === null ? "" : evidence(shown);
}

const evidence = ({ accepted, counting }: Shown) => `${accepted} observations, ${counting} count`;

const SAID: Readonly<Record<RecordPart, (shown: Shown) => string>> = {
  evidence,
  status: ({ status }) => status,
  identity: ({ name, industry }) => `${name}, ${industry ?? "no industry"}`,
  score: ({ raw, rank, gate }) => `${raw.toFixed(2)}, ${rank === null ? gate : `rank ${rank}`}`,
};

function moveOf(part: RecordPart, { before, after }: RecordDifference): string {
  if (before === null || after === null) return "";
  const [was, is] = [SAID[part](before), SAID[part](after)];
  return was === is ? is : `${was} -> ${is}`;
}

function whyText(why: readonly Reason[]): string {
  const texts = why.map((reason) =>
    reason.rows.length === 0 ? reason.why : `${reason.why} ${rowsText(reason)}`,
  );
  return texts.length === 0 ? "" : `[${texts.join("; ")}]`;
}

function rowsText({ rows }: Reason): string {
  const named = rows.slice(0, MAX_ROWS).join(", ");
  const more = rows.length - MAX_ROWS;
  return `row ${named}${more > 0 ? ` and ${number(more)} more` : ""}`;
}

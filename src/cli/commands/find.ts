import { OperatorError } from "../../kernel/errors.ts";
import { fieldLines, homeOf } from "../../operations/context.ts";
import { find, type Hit } from "../../operations/find/find.ts";
import { FindSources } from "../../operations/find/sources.ts";
import { type Bare, command } from "../command.ts";
import { whole } from "../options.ts";
import { Output } from "../output.ts";

const MAX_HITS = 1000;
/** So many are shown in full; more are a line each. */
const MAX_FULL = 3;
/** Longer lists are counted: those of a city's cells. */
const MAX_VALUES = 20;

const findCommand = command({
  path: "find",
  takes: (bare: Bare) =>
    bare
      .argument(
        "<what>",
        "a row, BATCH:LINE, a public id or its URL, or a part of a name; or with <ref> a source",
      )
      .argument("[ref]", "the reference that the source gave its line")
      .option("--limit <n>", "maximum number of records and lines", whole("--limit", MAX_HITS), 20),
  access: "read",
  help: `
  presence find fleet-cam 2026-11-03/0017     a supplier's line, by source and reference
  presence find row 3503                      a row, as messages print it
  presence find https://…/record/pr_7k2m/     a record, by its page
  presence find "corner bak"                  records and waiting lines with such a name

What it prints is private: names as they were seen, references and observers do not leave this machine otherwise.
Exit code 1: nothing was found.`,
  run({ ledger, context }, { limit }, what, ref) {
    using sources = new FindSources(ledger, homeOf(context));
    const { hits, total, notes } = find({ what, ref, limit }, sources);
    const more = total - hits.length;
    const last = total > 1 ? [`${total} found${more > 0 ? `; ${more} more: --limit ${total}` : ""}`] : [];
    const texts = hits.length > MAX_FULL ? hits.map(shortLine) : hits.flatMap(fullLines);
    return new Output({
      json: { total, hits, notes },
      text: [...texts, ...notes.map((note) => `- ${note}`), ...last],
      ...(total === 0 && { failure: new OperatorError("nothing was found") }),
    });
  },
});

/** The lines of a hit: lists and inner facts as one text each, and nothing for what is not known. */
function fullLines({ found, ...facts }: Hit): string[] {
  const known = Object.entries(facts).filter(([, value]) => !isEmpty(value));
  const texts = known.map(([name, value]) => [name, readable(value)]);
  return [found, ...fieldLines(Object.fromEntries(texts)).map((line) => `  ${line}`), ""];
}

function isEmpty(value: unknown): boolean {
  return value === null || value === undefined || (Array.isArray(value) && value.length === 0);
}

function readable(value: unknown): unknown {
  if (Array.isArray(value))
    return value.length > MAX_VALUES ? `${value.length} values` : value.map(String).join("; ");
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value !== "object" || value === null) return value;
  const known = Object.entries(value).filter(([, inner]) => !isEmpty(inner));
  return known.map(([name, inner]) => `${name.replaceAll("_", " ")} ${String(readable(inner))}`).join(", ");
}

function shortLine({ found, row, line, public_id, name, said, city, status, state, why }: Hit): string {
  const id = public_id ?? line ?? `row ${String(row)}`;
  const [first = ""] = Array.isArray(why) ? why : [];
  const called = name ?? (typeof said === "object" && said !== null && "name" in said ? said.name : "");
  return `${String(id)}  ${JSON.stringify(called)}  ${String(city ?? "-")}  ${String(status ?? state ?? found)}: ${String(first)}`;
}

export const commands = [findCommand];

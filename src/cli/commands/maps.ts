import { createReadStream, existsSync, statSync } from "node:fs";
import { parseColumnMap } from "../../intake/lines/column-map.ts";
import { decideDates } from "../../intake/lines/file-dates.ts";
import { firstBytes } from "../../intake/lines/read-lines.ts";
import { type CheckedMap, checkMap, type ShownLine } from "../../intake/maps/check-map.ts";
import { suggestMap } from "../../intake/maps/suggest-map.ts";
import { classifier, loadKeywords } from "../../intake/matching/classify.ts";
import { searchIndustries } from "../../intake/matching/industry-search.ts";
import { loadGazetteer } from "../../intake/places/gazetteer.ts";
import { knownSource } from "../../intake/sources/source-desk.ts";
import { OperatorError } from "../../kernel/errors.ts";
import { assertReadable, openRegular, readNamedFile } from "../../kernel/files/foreign-file.ts";
import { openLedgerReader } from "../../ledger/reader.ts";
import { type CommandContext, homeOf } from "../../operations/context.ts";
import { type Bare, command } from "../command.ts";
import { encodingOption } from "../options.ts";
import { list, Output } from "../output.ts";

/** So much of a file tells its columns. */
const SAMPLE_BYTES = 4 << 20;

const suggest = command({
  path: "map suggest",
  does: "write a column map for a CSV file, with doubts as comments: review it, then run `map check`",
  takes: (bare: Bare) =>
    bare.argument("<file>").option("--source <id>", "registered source that delivers such files"),
  access: "none",
  json: false,
  async run({ context }, { source: id }, file) {
    const bytes = await firstBytes(streamOf(file), SAMPLE_BYTES);
    const { text } = suggestMap(bytes, {
      cities: loadGazetteer(homeOf(context).gazetteer),
      country: onlyCountry(registeredCities(context)),
      now: context.clock(),
      source: id === undefined ? undefined : registered(context, id),
      // A category is no name: “stadium” is none of the shops of that brand.
      industryOf: classifier({ brands: new Map(), keywords: loadKeywords() }).ruleOf,
    });
    return new Output({ text });
  },
});

const check = command({
  path: "map check",
  does: "show ten lines of a CSV file as a column map reads them, and count the refused ones; writes nothing",
  takes: (bare: Bare) =>
    bare
      .argument("<file>")
      .requiredOption("--map <file>", "column map")
      .option("--encoding <label>", "encoding of the text, in place of that of the map", encodingOption),
  access: "none",
  async run({ context }, { map: path, encoding }, file) {
    const stated = parseColumnMap(readNamedFile(path, "--map"), path);
    const map = await decideDates(stated, streamOf(file), { name: file, encoding });
    const cities = registeredCities(context);
    const checked = await checkMap(streamOf(file), { map, encoding, cities, now: context.clock() });
    return new Output({ json: checked, text: checkedText(checked, cities.length > 0) });
  },
});

function streamOf(file: string): AsyncIterable<Uint8Array> {
  assertReadable(file);
  if (statSync(file).isDirectory()) throw new OperatorError(`${file}: it is a folder: name a file in it`);
  return createReadStream("", { fd: openRegular(file) });
}

function registered({ ...context }: CommandContext, id: string): { id: string; kind: string } {
  using reader = openLedgerReader(homeOf(context).ledger);
  return knownSource(reader.sources(), id);
}

function registeredCities(context: CommandContext) {
  const { ledger } = homeOf(context);
  if (!existsSync(ledger)) return [];
  using reader = openLedgerReader(ledger);
  return reader.cities();
}

function onlyCountry(cities: ReturnType<typeof registeredCities>): string | undefined {
  const [country, ...more] = new Set(cities.map(({ details }) => details.country));
  return more.length === 0 ? country : undefined;
}

function checkedText(checked: CheckedMap, hasCities: boolean): string[] {
  const { read, accepted, refused, first_refused, unknownCategories, damage, lines } = checked;
  const counts = Object.entries(refused).map(
    ([reason, count]) => `  ${reason}: ${count.toLocaleString("en-US")} (${first_refused[reason]})`,
  );
  const categories = unknownCategories.map(
    ([category, count]) => `  ${category}: ${count.toLocaleString("en-US")}`,
  );
  return [
    ...lines.flatMap(lineText),
    "",
    `${read.toLocaleString("en-US")} lines: ${accepted.toLocaleString("en-US")} would be accepted${counts.length > 0 ? ", others refused:" : ""}`,
    ...counts,
    ...(categories.length > 0 ? ['Categories that "industry_map" lacks:', ...categories] : []),
    ...(hasCities ? [] : ["No city is registered: whether the places are in one was not checked."]),
    ...(damage === undefined ? [] : [`The file is truncated or damaged: ${damage}`]),
  ];
}

function lineText({ line, name, place, city, date, refused, ...read }: ShownLine): string[] {
  const facts = [read.source, read.asset_type, read.industry].filter((fact) => fact !== null);
  return [
    `line ${line}: ${String(name)} at ${place.join(", ")}${city === null ? "" : ` in ${city}`}, seen ${date}${date === read.observed_at ? "" : ` = ${String(read.observed_at)}`} (${facts.join(", ")})`,
    ...(refused === null ? [] : [`  refused: ${refused}`]),
  ];
}

const searchIndustry = command({
  path: "industry search",
  does: "find ISIC codes by title, by common shop names, or by the beginning of a code",
  takes: (bare: Bare) => bare.argument("<word...>"),
  access: "none",
  run({ json }, _, words) {
    const asked = words.join(" ");
    const found = searchIndustries(asked);
    if (found.length === 0 && !json)
      throw new OperatorError(
        `no industry fits “${asked}”: try an English word such as bakery, or the beginning of a code, such as 47 (retail trade)`,
      );
    return list(found, ({ code, title, words: rules }) =>
      [code.padEnd(4), title, ...(rules.length > 0 ? [`(${rules.join(", ")})`] : [])].join("  "),
    );
  },
});

export const commands = [suggest, check, searchIndustry];

import { OperatorError } from "../../kernel/errors.ts";
import { nameKey } from "../../kernel/text/name-key.ts";
import type { LedgerWriter } from "../../ledger/writer.ts";
import { cleanName } from "../lines/name.ts";
import { parseObservation } from "../lines/observation-input.ts";
import { optOutKey } from "../lines/sighting.ts";
import { cityAt, cityFinder } from "../places/place.ts";
import type { Scope } from "./erasure-scope.ts";
import type { TraceSources } from "./erasure-traces.ts";

/** `records` are those that opt out together; they lie in one city. */
export function optedOutNames(
  ledger: LedgerWriter,
  { records }: Scope,
  group: readonly number[],
  { live, traces, hashes }: TraceSources,
) {
  const bodies = group.map((id) => records.get(id)).filter((body) => body !== undefined);
  const city = bodies[0]?.city;
  if (city === undefined) throw new OperatorError("there is no record to opt out");
  const known = traces.namesOf(group).map((entry) => entry.nameKey);
  const names = [...new Set([...bodies.map(({ name }) => nameKey(name)), ...known])].filter(Boolean).sort();
  const entries = names.flatMap((name) => traces.entriesOf(city, name));
  const others = entries.map(({ record }) => record).filter((record) => !group.includes(record));
  return {
    names, // in the form in which names are compared
    keys: names.map((name) => optOutKey(city, name, hashes)),
    /** Where intake knows these names, also of other records, which get no more observations under them. */
    entries,
    sameName: live.records(new Set(others)).map(({ body }) => body.public_id), // public ids of those other records
    pending: pendingUnder(ledger, city, new Set(names)),
  };
}

/** Ids of the pending lines, held ones included, that bear one of the names in the city. */
function pendingUnder(
  { intake, pending }: LedgerWriter,
  city: string,
  names: ReadonlySet<string>,
): readonly number[] {
  const cityOf = cityFinder(intake.cities());
  const matches = (input: string) => {
    const { name, lat, lng } = parseObservation(JSON.parse(input));
    const cleaned = cleanName(name);
    return "name" in cleaned && names.has(nameKey(cleaned.name)) && cityAt(cityOf, lat, lng)?.slug === city;
  };
  return [...pending.all()].flatMap(({ id, input }) => (matches(input) ? [id] : []));
}

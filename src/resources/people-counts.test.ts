/** Which published numbers count people, and for whom: exact for a record, a city or the service, withheld below 3 for a source or a day. */
import { expect, test } from "vitest";
import { z } from "zod";
import { inlineJsonSchema } from "../contract/json-schema.ts";
import { CellRow, CityCoverageRow, EXPLORER_COLUMNS } from "../contract/service/exports.ts";
import { resources } from "./index.ts";

const PEOPLE = /observer|scout|client|people|visitor|reporter|subscriber/;
// Requests by class, a limit, and a score.
const OTHER = new Set(["client_class", "endpoints_per_client", "pps_without_any_one_observer"]);

const OF_A_RECORD = ["independent_observer_count", "independent_observers"];
const OF_A_CITY = [
  "daily_clients",
  "independent_scout_days_180d",
  "independent_scout_observations_180d",
  "independent_scout_observers_180d",
];
const OF_THE_SERVICE = ["attributed_recurring_clients", "external_daily_client_instances"];
const OF_A_SOURCE = ["observers"]; // that the operator vouched for; null below the minimum
const OF_A_DAY = ["client_instances"]; // with `client_instances_withheld`

const Node = z.looseObject({ type: z.unknown().optional() });

/** Names of members that hold a number, or an object with one, below a JSON schema. */
function counts(schema: unknown, name = ""): string[] {
  if (Array.isArray(schema)) return schema.flatMap((each) => counts(each, name));
  const node = Node.safeParse(schema).data;
  if (node === undefined) return [];
  const { properties, ...rest } = node;
  const own = node.type === "integer" || node.type === "number" ? [name] : [];
  const members = Object.entries(Node.safeParse(properties).data ?? {}).flatMap(([member, below]) => {
    const found = counts(below, member);
    return PEOPLE.test(member) && found.length > 0 ? [member] : found;
  });
  return [...own, ...members, ...Object.values(rest).flatMap((below) => counts(below, name))];
}

const published = [
  ...resources.flatMap(({ wire }) => counts(inlineJsonSchema(wire, "output"))),
  ...EXPLORER_COLUMNS,
  ...CellRow.keyof().options,
  ...CityCoverageRow.keyof().options,
];

test("no answer and no export counts people in another way", () => {
  const counted = [...new Set(published)].filter((name) => PEOPLE.test(name) && !OTHER.has(name)).sort();
  expect(counted).toEqual(
    [...OF_A_RECORD, ...OF_A_CITY, ...OF_THE_SERVICE, ...OF_A_SOURCE, ...OF_A_DAY].sort(),
  );
  expect([...EXPLORER_COLUMNS, ...CellRow.keyof().options].filter((name) => PEOPLE.test(name))).toEqual([]);
});

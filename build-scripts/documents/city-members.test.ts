/** `city` is a slug beside a `city_name` in every answer and export, but for the objects that docs/interface.md lists. */
import { expect, test } from "vitest";
import { z } from "zod";
import { CityCellCollection } from "../../src/contract/cities/city.ts";
import { publishedTool, TOOLS } from "../../src/contract/mcp/tools.ts";
import { CityTables } from "../../src/contract/service/city-tables.ts";
import { CellRow, CityCoverageRow, ExplorerRow } from "../../src/contract/service/exports.ts";
import { openApiDocument } from "../../src/render/reference/openapi.ts";
import { projectText, tableRows } from "./markdown.ts";

const document = openApiDocument("https://presence.test", "revision");
const Node = z.record(z.string(), z.unknown());
const REF = /^#\/components\/schemas\/(.+)$/;

/** Paths of the objects below a schema that have a `city` without a `city_name`, by the component or tool that they are in. */
function bare(node: unknown, name: string, seen: Set<string>): string[] {
  if (Array.isArray(node)) return node.flatMap((each) => bare(each, name, seen));
  const { $ref, properties, example: _, examples: __, ...rest } = Node.safeParse(node).data ?? {};
  const [, component] = REF.exec(String($ref)) ?? [];
  if (component !== undefined)
    return seen.has(component) ? [] : bare(componentOf(component), component, seen.add(component));
  const members = Node.safeParse(properties).data ?? {};
  const own = "city" in members && !("city_name" in members) ? [name] : [];
  const below = Object.entries(members).flatMap(([member, each]) => bare(each, `${name}.${member}`, seen));
  return [...own, ...below, ...Object.values(rest).flatMap((each) => bare(each, name, seen))];
}

function componentOf(name: string): unknown {
  return Node.parse(Node.parse(document["components"])["schemas"])[name];
}

/** Answers and messages; bodies of requests take a slug. */
function sent(): string[] {
  const seen = new Set<string>();
  const operations = Object.values(Node.parse(document["paths"])).flatMap((path) =>
    Object.values(Node.parse(path)),
  );
  const answers = operations.map((operation) => Node.safeParse(operation).data?.["responses"]);
  return [...answers, document["webhooks"]].flatMap((each) => bare(each, "", seen));
}

const exported = { CellRow, CityCellCollection, CityCoverageRow, CityTables, ExplorerRow };

test("every other `city` is listed with what it is", () => {
  const found = [
    ...sent(),
    ...TOOLS.flatMap((tool) => bare(publishedTool(tool).outputSchema, tool.name, new Set())),
    ...Object.entries(exported).flatMap(([name, schema]) => bare(z.toJSONSchema(schema), name, new Set())),
  ];
  const listed = tableRows(projectText("docs/interface.md"), "object with `city`").flatMap(([objects = ""]) =>
    Array.from(objects.matchAll(/`([^`]+)`/g), ([, name = ""]) => name),
  );
  expect([...new Set(found)].toSorted()).toEqual(listed.toSorted());
});

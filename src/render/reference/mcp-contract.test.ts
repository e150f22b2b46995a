import { expect, test } from "vitest";
import { z } from "zod";
import { EvidenceVerdict, RealityVerdict } from "../../contract/mcp/evidence-tools.ts";
import { publishedTool } from "../../contract/mcp/published-tool.ts";
import { PROTOCOL_VERSIONS } from "../../contract/mcp/server.ts";
import { TOOLS } from "../../contract/mcp/tools.ts";
import { contractVersions } from "./api-examples.ts";
import { mcpContract } from "./mcp-contract.ts";

const examples = new Map(TOOLS.map(({ name }) => [name, { made_up_for: name }]));
const inputs = { baseUrl: "https://presence.test", sourceRevision: "abc123", examples };
const contract = mcpContract(inputs);

const Entry = z.looseObject({
  name: z.string(),
  deprecated: z.strictObject({ replacement: z.string(), removal_after: z.iso.date() }).optional(),
  example: z.strictObject({ arguments: z.looseObject({}), result: z.looseObject({}) }),
});

test("says what it is a contract of, in the versions of all machine-readable artefacts", () => {
  expect(contract).toMatchObject({ ...contractVersions("abc123") });
  expect(contract["endpoint"]).toEqual({
    url: "https://presence.test/mcp",
    transport: "streamable-http",
    protocol_versions: PROTOCOL_VERSIONS,
  });
  expect(contract["instructions"]).toContain("never proves absence");
});

test("has every tool as tools/list shows it, with its example", () => {
  const tools = z.array(Entry).parse(contract["tools"]);
  expect(tools.map(({ deprecated: _, example: __, ...tool }) => tool)).toEqual(TOOLS.map(publishedTool));
  for (const [at, { name, example }] of tools.entries())
    expect(example).toEqual({ arguments: TOOLS[at]?.example, result: { made_up_for: name } });
});

test("a tool without an example stops it", () => {
  expect(() => mcpContract({ ...inputs, examples: new Map() })).toThrow(
    "the tool get_physical_presence has no example",
  );
});

test("a deprecated tool is marked and listed, with what to call in its place", () => {
  const deprecated = TOOLS.filter((tool) => tool.deprecated !== undefined);
  expect(contract["deprecations"]).toEqual(
    deprecated.map(({ name, deprecated }) => ({ tool: name, ...deprecated })),
  );
  const marked = z
    .array(Entry)
    .parse(contract["tools"])
    .filter((tool) => tool.deprecated !== undefined);
  expect(marked.map(({ name }) => name)).toEqual(["check_business_reality"]);
  expect(TOOLS.map(({ name }) => name)).toContain(marked[0]?.deprecated?.replacement);
});

test("every verdict has its sentence", () => {
  const verdicts = z.record(z.string(), z.record(z.string(), z.string())).parse(contract["verdicts"]);
  expect(Object.keys(verdicts["check_physical_evidence"] ?? {})).toEqual(EvidenceVerdict.options);
  expect(Object.keys(verdicts["check_business_reality"] ?? {})).toEqual(RealityVerdict.options);
  for (const meaning of Object.values(verdicts).flatMap(Object.values))
    expect(meaning).toMatch(/^[A-Z].*\.$/);
});

test("limits are those of the interface", () => {
  expect(contract["limits"]).toMatchObject({
    requests_per_minute: 60,
    burst: 20,
    compared_names: { min: 2, max: 10 },
    city_index: { default: 25, max: 100 },
  });
});

test("the same inputs give the same bytes, without a time of making", () => {
  expect(JSON.stringify(mcpContract(inputs))).toBe(JSON.stringify(contract));
  expect(Object.keys(contract).join(" ")).not.toMatch(/generated|created|time/);
});

import { describe, expect, test } from "vitest";
import { z } from "zod";
import { EvidenceVerdict, RealityVerdict } from "../../contract/mcp/evidence-tools.ts";
import { mcpServerFacts, PROTOCOL_VERSIONS, publishedTool, TOOLS } from "../../contract/mcp/tools.ts";
import { contractVersions } from "./api-examples.ts";
import { aiCatalog, mcpContract, registryEntry, serverCard } from "./mcp.ts";

describe("mcp contract", () => {
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
});

describe("mcp discovery", () => {
  const BASE = "https://presence.example.org";

  /** The required members of both schemas, and the optional ones that we send. */
  const identity = {
    name: z
      .string()
      .min(3)
      .max(200)
      .regex(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/),
    version: z.string().regex(/^\d+\.\d+\.\d+$/),
    description: z.string().min(1).max(100),
    title: z.string().min(1).max(100),
    websiteUrl: z.url(),
  };
  const remote = { type: z.literal("streamable-http"), url: z.url() };
  const Card = z.strictObject({
    $schema: z.literal("https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json"),
    ...identity,
    remotes: z
      .array(z.strictObject({ ...remote, supportedProtocolVersions: z.array(z.iso.date()).min(1) }))
      .length(1),
  });
  const Registry = z.strictObject({
    $schema: z.literal("https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"),
    ...identity,
    remotes: z.array(z.strictObject(remote)).length(1),
  });
  const Catalog = z.strictObject({
    specVersion: z.literal("1.0"),
    entries: z.array(
      z.strictObject({
        identifier: z.string().regex(/^urn:air:[a-z0-9.-]+(:[\w.-]+)+$/),
        displayName: z.string().min(1),
        type: z.literal("application/mcp-server-card+json"),
        url: z.url(),
      }),
    ),
  });

  test.each([BASE, "http://127.0.0.1:4321", "http://[::1]:4321", "http://localhost:80"])(
    "%s: card, catalogue and registry entry have what their formats ask for",
    (baseUrl) => {
      const card = Card.parse(serverCard({ baseUrl, siteName: null }));
      expect(card.remotes[0]?.url).toBe(`${baseUrl}/mcp`);
      expect(Registry.parse(registryEntry({ baseUrl, siteName: null })).remotes[0]?.url).toBe(
        `${baseUrl}/mcp`,
      );
    },
  );

  test("the card says what the server says of itself", () => {
    const { name, version, title, description, websiteUrl, remotes } = Card.parse(
      serverCard({ baseUrl: BASE, siteName: null }),
    );
    expect({ name, version, title, description, websiteUrl }).toEqual(
      mcpServerFacts(BASE, { siteName: null }),
    );
    expect(name).toBe("org.example.presence/physical-presence");
    expect(remotes[0]?.supportedProtocolVersions).toEqual(PROTOCOL_VERSIONS);
  });

  test("the catalogue names the host and leads to the card", () => {
    expect(Catalog.parse(aiCatalog({ baseUrl: BASE, siteName: null })).entries).toEqual([
      {
        identifier: "urn:air:presence.example.org:mcp:physical-presence",
        displayName: "Physical Presence Evidence",
        type: "application/mcp-server-card+json",
        url: `${BASE}/mcp/server-card`,
      },
    ]);
  });
});

import { expect, test } from "vitest";
import { z } from "zod";
import { mcpServerFacts, PROTOCOL_VERSIONS } from "../../contract/mcp/server.ts";
import { aiCatalog, registryEntry, serverCard } from "./mcp-discovery.ts";

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
    const card = Card.parse(serverCard(baseUrl));
    expect(card.remotes[0]?.url).toBe(`${baseUrl}/mcp`);
    expect(Registry.parse(registryEntry(baseUrl)).remotes[0]?.url).toBe(`${baseUrl}/mcp`);
  },
);

test("the card says what the server says of itself", () => {
  const { name, version, title, description, websiteUrl, remotes } = Card.parse(serverCard(BASE));
  expect({ name, version, title, description, websiteUrl }).toEqual(mcpServerFacts(BASE));
  expect(name).toBe("org.example.presence/physical-presence");
  expect(remotes[0]?.supportedProtocolVersions).toEqual(PROTOCOL_VERSIONS);
});

test("the catalogue names the host and leads to the card", () => {
  expect(Catalog.parse(aiCatalog(BASE)).entries).toEqual([
    {
      identifier: "urn:air:presence.example.org:mcp:physical-presence",
      displayName: "Physical Presence Evidence",
      type: "application/mcp-server-card+json",
      url: `${BASE}/mcp/server-card`,
    },
  ]);
});

import { expect, test } from "vitest";
import { TOOLS } from "../../contract/mcp/tools.ts";
import { PRESENCE_KIND_TEXT } from "../../contract/records/claim-boundary.ts";
import { SURFACES } from "../../resources/surfaces.ts";
import { connectExamples } from "../reference/quick-start.ts";
import {
  GUIDE_TOOLS,
  HOW_TO,
  LIMITS_AND_ERRORS,
  llmsTxt,
  READING_RULES,
  SURFACE_GROUPS,
  VERDICTS,
} from "./agent-guide.ts";

const BASE = "https://presence.test";
const text = llmsTxt({ baseUrl: BASE, siteName: null });
const points = [...READING_RULES, ...HOW_TO, ...LIMITS_AND_ERRORS, ...VERDICTS];

test("every surface is in one group", () => {
  const grouped = SURFACE_GROUPS.flatMap(({ surfaces }) => surfaces.map(({ id }) => id));
  expect(new Set(grouped).size).toBe(grouped.length);
  expect(grouped).toEqual(expect.arrayContaining([...SURFACES.map(({ id }) => id), "methodology", "verify"]));
  expect(SURFACE_GROUPS.every(({ surfaces }) => surfaces.length > 0)).toBe(true);
});

test("every point is whole sentences with its code marked from end to end", () => {
  for (const { text } of [...points, ...GUIDE_TOOLS.map(({ description }) => ({ text: description }))]) {
    expect(text).toMatch(/^[A-Z[`0-9].*\.$/);
    expect(text.split("`").length % 2).toBe(1);
  }
});

test("llms.txt has the form of llmstxt.org: title, summary, text, then lists of links", () => {
  const [title, empty, summary] = text.split("\n");
  expect([title, empty]).toEqual(["# Physical Presence Evidence Service", ""]);
  expect(summary).toMatch(/^> \S/);
  const [before = "", ...sections] = text.split(/^## /m);
  expect(before.match(/^#+ /gm)).toEqual(["# "]);
  expect(sections.length).toBeGreaterThanOrEqual(3);
  for (const section of sections) {
    const [name, , ...lines] = section.trimEnd().split("\n");
    expect(name).toMatch(/^[A-Z]/);
    expect(lines.length).toBeGreaterThan(0);
    for (const line of lines) expect(line).toMatch(/^- \[[^\]]+\]\(https:\/\/presence\.test\/\S+\): \S.*\.$/);
  }
});

test("llms.txt says what must not be inferred, and names every tool", () => {
  for (const { text: rule } of READING_RULES) expect(text).toContain(rule);
  for (const meaning of Object.values(PRESENCE_KIND_TEXT)) expect(text).toContain(meaning);
  for (const { name } of TOOLS) expect(text).toContain(`- ${name}: `);
  expect(text).not.toMatch(/undefined|NaN|\[object/);
});

test("the examples can be pasted: JSON for clients, and calls of the endpoint", () => {
  const [one, other, ...calls] = connectExamples(BASE, "guelph").map(({ text }) => text);
  const server = { "physical-presence": { type: "http", url: `${BASE}/mcp` } };
  expect(JSON.parse(one ?? "")).toEqual({ mcpServers: server });
  expect(JSON.parse(other ?? "")).toEqual({ servers: server });
  const bodies = calls.map((call) => {
    const [, body = ""] =
      /^curl -s https:\/\/presence\.test\/mcp \\\n[^']+'.*-d '([^']+)'$/s.exec(call) ?? [];
    return JSON.parse(body);
  });
  expect(bodies.map(({ jsonrpc, method }) => [jsonrpc, method])).toEqual([
    ["2.0", "initialize"],
    ["2.0", "tools/call"],
  ]);
  const { name, arguments: given } = bodies[1].params;
  expect(TOOLS.find((tool) => tool.name === name)?.input.safeParse(given).success).toBe(true);
  expect(given.city).toBe("guelph");
});

import { readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { z } from "zod";
import { TOOLS } from "../../src/contract/mcp/tools.ts";
import { filesBelow } from "../../src/kernel/files/durable-file.ts";
import { homePaths, releasePaths } from "../../src/kernel/home.ts";
import { debianProgram, output as outputOf, scriptOutput } from "../support/outside.ts";
import { type DemoServer, serveHome } from "../support/towns/demo-home.ts";
import { isTrial } from "../support/trial.ts";

/** What strangers' programs make of the demonstration; only in the long form, since npm and Debian have to bring them first. */

const { site } = releasePaths(homePaths(inject("demoHome")).current);

describe.runIf(isTrial)("GDAL", () => {
  beforeAll(() => debianProgram("ogrinfo", "gdal-bin"));

  const files = filesBelow(join(site, "exports")).map((file) => relative(site, file));
  const summary = (path: string) => outputOf("ogrinfo", ["-ro", "-so", "-al", path], site);
  const countOf = (text: string) => Number(/^Feature Count: (\d+)$/m.exec(text)?.[1]);

  test.each(files.filter((path) => path.endsWith(".geojson")))(
    "%s: its features are polygons on WGS 84",
    (path) => {
      const said = summary(path);
      const { features } = z
        .object({ features: z.array(z.unknown()) })
        .parse(JSON.parse(readFileSync(join(site, path), "utf8")));
      expect(countOf(said)).toBe(features.length);
      expect(said).toContain("Geometry: Polygon");
      expect(said).toContain('GEOGCRS["WGS 84"');
    },
  );

  test.each(files.filter((path) => path.endsWith(".csv")))(
    "%s: it has as many rows, and its columns",
    (path) => {
      const said = summary(path);
      const lines = readFileSync(join(site, path), "utf8").split("\r\n");
      const [header = "", ...rows] = lines.filter((line) => line !== "" && !line.startsWith("#"));
      expect(countOf(said)).toBe(rows.length);
      for (const column of header.split(",")) expect(said).toContain(`\n${column}: `);
    },
  );
});

describe.runIf(isTrial)("parsers of feeds", () => {
  const PARSERS = {
    "@rowanmanning/feed-parser": "2.1.5",
    "@extractus/feed-extractor": "8.0.3",
    "rss-parser": "3.13.0",
  };
  const SCRIPT = `
    import { readFileSync } from "node:fs";
    import { parseFeed } from "@rowanmanning/feed-parser";
    import { extractFromJson, extractFromXml } from "@extractus/feed-extractor";
    import RssParser from "rss-parser";
    const titles = [];
    for (const path of process.argv.slice(2)) {
      const text = readFileSync(path, "utf8");
      const isJson = path.endsWith(".json");
      const extracted = isJson ? extractFromJson(JSON.parse(text)) : extractFromXml(text);
      titles.push([path, extracted.entries.map(({ title }) => title)]);
      if (isJson) continue;
      titles.push([path, parseFeed(text).items.map(({ title }) => title)]);
      titles.push([path, (await new RssParser().parseString(text)).items.map(({ title }) => title)]);
    }
    console.log(JSON.stringify(titles));
  `;

  test("each finds the newest events of a city in RSS, Atom and JSON Feed", () => {
    const pulse = z
      .object({ items: z.array(z.object({ title: z.string() })).min(1) })
      .parse(JSON.parse(readFileSync(join(site, "pulse/guelph/feed.json"), "utf8")));
    const paths = ["rss.xml", "atom.xml", "feed.json"].map((name) => join(site, "pulse/guelph", name));
    const read = z
      .array(z.tuple([z.string(), z.array(z.string())]))
      .parse(JSON.parse(scriptOutput(PARSERS, SCRIPT, ...paths)));
    expect(read).toHaveLength(7);
    const newest = pulse.items.map(({ title }) => title).slice(0, 10);
    for (const [path, titles] of read) expect([path, titles.slice(0, 10)]).toEqual([path, newest]);
  });
});

describe.runIf(isTrial)("MCP clients with a protocol of their own", () => {
  let server: DemoServer;
  beforeAll(async () => {
    server = await serveHome(inject("demoHome"));
  });
  afterAll(async () => {
    await server.stop();
  });

  const SCRIPT = `
    import { createMCPClient } from "@ai-sdk/mcp";
    const [url, calls] = process.argv.slice(2);
    const client = await createMCPClient({ transport: { type: "http", url } });
    const tools = await client.tools();
    const answers = {};
    for (const [name, given] of JSON.parse(calls))
      answers[name] = await tools[name].execute(given, { toolCallId: name, messages: [] });
    console.log(JSON.stringify(answers));
    await client.close();
  `;

  test("the client of the AI SDK calls every tool, and gets what the schema says", () => {
    const calls = JSON.stringify(TOOLS.map(({ name, example }) => [name, { ...example, city: "Guelph" }]));
    const answers = JSON.parse(scriptOutput({ "@ai-sdk/mcp": "2.0.99" }, SCRIPT, `${server.url}/mcp`, calls));
    for (const { name, output } of TOOLS) {
      const { isError = false, structuredContent } = answers[name];
      expect([name, isError]).toEqual([name, false]);
      expect(output.safeParse(structuredContent).error, name).toBeUndefined();
    }
  });
});

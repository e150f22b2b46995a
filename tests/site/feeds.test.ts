import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { parse } from "csv-parse/sync";
import { XMLParser } from "fast-xml-parser";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { z } from "zod";
import { JsonFeed } from "../../src/contract/cities/pulse.ts";
import { EventType } from "../../src/contract/enums.ts";
import { filesBelow } from "../../src/kernel/files/durable-file.ts";
import { sha256Hex } from "../../src/kernel/hash.ts";
import { homePaths, releasePaths } from "../../src/kernel/home.ts";
import { fillPath } from "../../src/kernel/text/markup.ts";
import { eventUrl } from "../../src/resources/links.ts";
import { contextAt } from "../../src/resources/release-store.ts";
import { routes } from "../../src/site/routes/routes.ts";
import { PROJECT } from "../support/operations/presence-process.ts";
import { DEMO_BASE_URL, type DemoServer, serveHome } from "../support/towns/demo-home.ts";

/** The published files of the demonstration, read back as strangers would read them. */

const { site, snapshot } = releasePaths(homePaths(inject("demoHome")).current);
const read = (path: string) => readFileSync(join(site, path), "utf8");
const paths = filesBelow(site).map((file) => relative(site, file));
const feeds = paths.filter((path) => /^pulse\/[^/]+\/rss\.xml$/.test(path));
const SERVICE_FEED = "pulse/rss.xml";
const atomBeside = (path: string) => path.replace(/rss\.xml$/, "atom.xml");

describe("feeds of events", () => {
  const Item = z.object({
    title: z.string().min(1),
    link: z.string().startsWith(`${DEMO_BASE_URL}/record/`),
    guid: z.object({ "#text": z.string().min(1), "@isPermaLink": z.literal("false") }),
    pubDate: z.string().regex(/^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/),
    description: z.string().min(1),
  });
  const Channel = z.object({
    title: z.string().min(1),
    link: z.url(),
    description: z.string().min(1),
    item: z.array(Item).default([]),
  });
  /** What RSS 2.0 knows; anything else has to be in a namespace. */
  const RSS_CHANNEL = /^(title|link|description|language|lastBuildDate|docs|item)$/;
  const RSS_ITEM = /^(title|category|link|description|guid|pubDate)$/;
  const Document = z.object({ rss: z.object({ "@version": z.literal("2.0"), channel: Channel }) });
  const reader = new XMLParser({
    ignoreAttributes: false,
    attributeNamePrefix: "@",
    parseTagValue: false,
    isArray: (name) => name === "item",
  });
  const Pulse = z.object({
    events: z.array(
      z.object({
        id: z.string(),
        type: EventType,
        headline: z.string(),
        record_url: z.string(),
        detected_at: z.string(),
      }),
    ),
  });

  test.each(feeds)("%s reads back as the events of its city", (path) => {
    const { channel } = Document.parse(reader.parse(read(path))).rss;
    const { events } = Pulse.parse(JSON.parse(read(`api/v1/${dirname(path)}.json`)));
    expect(
      channel.item.map(({ guid, title, link, pubDate }) => [guid["#text"], title, link, Date.parse(pubDate)]),
    ).toEqual(
      events.map(({ id, type, headline, record_url, detected_at }) => [
        id,
        headline,
        eventUrl(record_url, type),
        Date.parse(detected_at),
      ]),
    );
    for (const { link } of channel.item) {
      const { pathname, hash } = new URL(link);
      if (hash !== "") expect(read(`${pathname}index.html`)).toContain(`id="${hash.slice(1)}"`);
    }
  });

  test("the feed of the service has the newest events of the cities, each with its city", () => {
    const { channel } = Document.parse(reader.parse(read(SERVICE_FEED))).rss;
    expect(channel.item.length).toBeGreaterThan(50);
    expect(channel.item.length).toBeLessThanOrEqual(100);
    const times = channel.item.map(({ pubDate }) => Date.parse(pubDate));
    expect(times).toEqual(times.toSorted((a, b) => b - a));
    const byId = new Map(channel.item.map((item) => [item.guid["#text"], item]));
    expect(byId.size).toBe(channel.item.length);
    const oldest = times.at(-1) ?? 0;
    for (const path of feeds) {
      const { channel: ofCity } = Document.parse(reader.parse(read(path))).rss;
      for (const item of ofCity.item.filter(({ pubDate }) => Date.parse(pubDate) > oldest)) {
        const same = byId.get(item.guid["#text"]);
        expect(same).toEqual({ ...item, title: same?.title });
        expect(same?.title.startsWith(`${item.title} (`)).toBe(true);
      }
    }
  });

  test.each([...feeds, SERVICE_FEED])(
    "%s has nothing that RSS 2.0 does not know but in namespaces",
    (path) => {
      const Loose = z.object({ rss: z.object({ channel: z.record(z.string(), z.unknown()) }) });
      const Elements = z.array(z.record(z.string(), z.unknown()));
      const { channel } = Loose.parse(reader.parse(read(path))).rss;
      const others = Object.keys(channel).filter((name) => !RSS_CHANNEL.test(name));
      expect(others).toEqual(["atom:link", "div"]);
      expect(channel["div"]).toMatchObject({ "@xmlns": "http://www.w3.org/1999/xhtml" });
      const items = Elements.parse(channel["item"] ?? []);
      expect(items.flatMap(Object.keys).filter((name) => !RSS_ITEM.test(name))).toEqual([]);
    },
  );

  test("every feed is well-formed XML, and some have items", ({ skip }) => {
    expect(feeds.length).toBeGreaterThanOrEqual(3);
    expect(feeds.filter((path) => read(path).includes("<item>"))).not.toEqual([]);
    const { error, status, stderr } = spawnSync("xmllint", [
      "--noout",
      "--nonet",
      ...[...feeds, SERVICE_FEED].flatMap((path) => [join(site, path), join(site, atomBeside(path))]),
    ]);
    if (error !== undefined) return skip("xmllint is not installed");
    expect([status, stderr.toString()]).toEqual([0, ""]);
  });

  /** What RFC 4287 requires of a feed and of its entries. */
  const Entry = z.looseObject({
    id: z.string().regex(/^tag:[^,]+,2026:/),
    title: z.object({ "#text": z.string().min(1), "@type": z.literal("text") }),
    link: z.object({ "@href": z.url() }),
    updated: z.iso.datetime(),
    published: z.iso.datetime(),
  });
  const Atom = z.object({
    feed: z.looseObject({
      "@xmlns": z.literal("http://www.w3.org/2005/Atom"),
      id: z.url(),
      title: z.string().min(1),
      updated: z.iso.datetime(),
      author: z.object({ name: z.string().min(1) }),
      link: z.array(z.object({ "@rel": z.enum(["alternate", "self"]), "@href": z.url() })).length(2),
      entry: z.array(Entry).default([]),
    }),
  });
  const ATOM_FEED = /^(@xmlns|id|title|updated|author|link|subtitle|icon|entry)$/;

  test.each([...feeds, SERVICE_FEED])("beside %s is the same as Atom", (path) => {
    const atomReader = new XMLParser({
      ignoreAttributes: false,
      attributeNamePrefix: "@",
      parseTagValue: false,
      isArray: (name) => name === "entry",
    });
    const { feed } = Atom.parse(atomReader.parse(read(atomBeside(path))));
    const { channel } = Document.parse(reader.parse(read(path))).rss;
    expect(Object.keys(feed).filter((name) => !ATOM_FEED.test(name))).toEqual(["div"]);
    expect([feed.title, feed.id]).toEqual([channel.title, `${DEMO_BASE_URL}/${atomBeside(path)}`]);
    expect(
      feed.entry.map(({ id, link, updated }) => [id.split(":").at(-1), link["@href"], Date.parse(updated)]),
    ).toEqual(channel.item.map(({ guid, link, pubDate }) => [guid["#text"], link, Date.parse(pubDate)]));
  });

  test.each([...feeds, SERVICE_FEED])("beside %s is the same as JSON Feed 1.1", (path) => {
    const beside = path.replace(/rss\.xml$/, "feed.json");
    const feed = JsonFeed.parse(JSON.parse(read(beside)));
    const { channel } = Document.parse(reader.parse(read(path))).rss;
    const { title, link, description } = channel;
    expect([feed.title, feed.home_page_url, feed.description]).toEqual([title, link, description]);
    expect(feed.feed_url).toBe(`${DEMO_BASE_URL}/${beside}`);
    expect(
      feed.items.map(({ id, title, url, date_published }) => [id, title, url, Date.parse(date_published)]),
    ).toEqual(
      channel.item.map(({ guid, title, link, pubDate }) => [guid["#text"], title, link, Date.parse(pubDate)]),
    );
  });
});

describe("CSV", () => {
  const HEADER =
    "city,industry,asset_type,claim_state,entities,observations,observed_cells,coverage_level,assets,avg_pps,avg_percentile,first_observed,last_observed";

  test.each(["api/v1/explorer.csv", "exports/explorer.csv"])(
    "%s has the header of the interface and reads back",
    (path) => {
      const text = read(path);
      expect(text.split("\r\n")[0]).toBe(HEADER);
      const rows = z.array(z.record(z.string(), z.string())).parse(parse(text, { columns: true }));
      expect(rows.length).toBeGreaterThan(10);
      for (const { observations, entities, avg_percentile } of rows) {
        expect(observations).toMatch(/^[1-9]\d*$/);
        expect(entities).toMatch(/^[1-9]\d*$/);
        expect(avg_percentile).toMatch(/^$|^\d+(\.\d+)?$/);
      }
    },
  );
});

describe("openapi.json", () => {
  const document = JSON.parse(read("openapi.json"));

  test("has no error by redocly", () => {
    const { status, stdout, stderr } = spawnSync("redocly", ["lint", join(site, "openapi.json")], {
      encoding: "utf8",
      env: {
        PATH: `${join(PROJECT, "node_modules", ".bin")}:${dirname(process.execPath)}:/usr/bin:/bin`,
        HOME: tmpdir(),
        REDOCLY_TELEMETRY: "off",
      },
    });
    expect(status, stdout + stderr).toBe(0);
  });

  const ajv = new Ajv2020({ strict: false });
  addFormats.default(ajv);
  ajv.addSchema(document, "openapi");
  const jsonRoutes = routes.filter(({ path }) => path.startsWith("/api/v1/") && !path.endsWith(".csv"));

  test.each(jsonRoutes)("every file of $path is valid by its schema", (route) => {
    const pointer = `paths/${route.path.replaceAll("/", "~1")}/get/responses/200/content/application~1json/schema`;
    const validate = ajv.getSchema(`openapi#/${encodeURI(pointer)}`);
    const context = contextAt(snapshot);
    const files = [...route.enumerate(context.snapshot)].map((values) => route.filePath(values));
    context.close();
    expect(files.length).toBeGreaterThan(0);
    for (const file of files)
      expect(validate?.(JSON.parse(read(file))), `${file}: ${JSON.stringify(validate?.errors)}`).toBe(true);
  });

  test("describes every JSON file under api/v1", () => {
    const context = contextAt(snapshot);
    const described = jsonRoutes.flatMap((route) =>
      [...route.enumerate(context.snapshot)].map((values) => route.filePath(values)),
    );
    context.close();
    expect(described.sort()).toEqual(paths.filter((path) => /^api\/v1\/.*\.json$/.test(path)).sort());
  });
});

/** Pages that only mailed links and forms lead to, and those that lead on from a merged record. */
const isHidden = (page: string) =>
  page.includes('<meta name="robots" content="noindex">') || page.includes('<meta http-equiv="refresh"');

describe("files for programs", () => {
  test("the sitemap has every page that may be found, once", () => {
    const places = (path: string) =>
      [...read(path).matchAll(/<loc>([^<]+)<\/loc>/g)].map(([, loc = ""]) => loc);
    const listed = places("sitemap.xml").flatMap((loc) => places(loc.replace(`${DEMO_BASE_URL}/`, "")));
    const pages = paths.filter((path) => path.endsWith("index.html") && !isHidden(read(path)));
    const addresses = pages.map((path) => `${DEMO_BASE_URL}/${path.replace(/index\.html$/, "")}`);
    expect(listed.toSorted()).toEqual(addresses.sort());
  });

  const CELL = { string: /./, integer: /^\d+$/, number: /^\d+(\.\d+)?$/, date: /^\d{4}-\d\d-\d\d$/ };
  const Field = z.looseObject({
    name: z.string(),
    type: z.enum(["string", "integer", "number", "date"]),
    constraints: z.looseObject({
      required: z.literal(true).optional(),
      enum: z.array(z.string()).optional(),
    }),
  });
  const DataPackage = z.looseObject({
    resources: z.tuple(
      [z.looseObject({ hash: z.string(), schema: z.looseObject({ fields: z.array(Field) }) })],
      z.looseObject({
        name: z.string(),
        path: z.union([z.string(), z.array(z.string()).min(1)]),
        hash: z.string().optional(),
      }),
    ),
  });

  function fits(cell: string, { type, constraints }: z.infer<typeof Field>): boolean {
    if (cell === "") return constraints.required === undefined;
    return CELL[type].test(cell) && (constraints.enum?.includes(cell) ?? true);
  }

  test("the data package describes the files beside it, and every cell fits its field", () => {
    const { resources } = DataPackage.parse(JSON.parse(read("exports/datapackage.json")));
    const [{ hash, schema }, ...others] = resources;
    expect(others.length).toBeGreaterThanOrEqual(3);
    for (const file of others) {
      const [bytes, ...more] = [file.path].flat().map((path) => readFileSync(join(site, "exports", path)));
      // A table in a file of each city has their hashes in the list of all files, and so has what depends on another release.
      if (more.length > 0 || file.name === "changes") expect(file.hash).toBeUndefined();
      else expect(file.hash, file.name).toBe(`sha256:${sha256Hex(bytes ?? "")}`);
    }
    const csv = read("exports/explorer.csv");
    expect(hash).toBe(`sha256:${sha256Hex(csv)}`);
    const rows = z.array(z.record(z.string(), z.string())).parse(parse(csv, { columns: true }));
    expect(rows.length).toBeGreaterThan(10);
    for (const row of rows)
      expect(schema.fields.filter((field) => !fits(row[field.name] ?? "", field))).toEqual([]);
  });
});

describe("Node without the files", () => {
  let folder: string;
  let server: DemoServer;

  beforeAll(async () => {
    // A release with an empty site: whatever is asked for, Node has to work out.
    folder = mkdtempSync(join(tmpdir(), "presence-bare-"));
    const home = homePaths(join(folder, "var"));
    const bare = releasePaths(join(home.releases, "bare"));
    mkdirSync(bare.site, { recursive: true });
    cpSync(snapshot, bare.snapshot);
    symlinkSync("releases/bare", home.current);
    server = await serveHome(home.root);
  });

  afterAll(async () => {
    await server.stop();
    rmSync(folder, { recursive: true });
  });

  const EVERY = 10; // of the records

  test.each(routes)("$path answers the bytes of the file", async (route) => {
    const context = contextAt(snapshot);
    const instances = [...route.enumerate(context.snapshot)];
    context.close();
    const asked = instances.length < 100 ? instances : instances.filter((_, at) => at % EVERY === 0);
    for (const [at, values] of asked.entries()) {
      const url = fillPath(route.path, values);
      const headers = { "X-Forwarded-For": `192.0.2.${at % 250}`, "Accept-Encoding": "identity" };
      const answer = await fetch(server.url + url, { headers });
      expect([answer.status, await answer.text()], url).toEqual([200, read(route.filePath(values))]);
    }
  });
});

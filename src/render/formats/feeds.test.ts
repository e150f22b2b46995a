import fc from "fast-check";
import { XMLParser, XMLValidator } from "fast-xml-parser";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { fakeCity, fakeEvent, release } from "../../../tests/support/release/fake-rows.ts";
import { fakeContext } from "../../../tests/support/release/fake-snapshot.ts";
import { JsonFeed } from "../../contract/cities/pulse.ts";
import { atom, cityFeed, jsonFeed, rss, serviceFeed, statusFeed } from "./feeds.ts";

describe("status feed", () => {
  const outage = {
    started: "2026-04-20T10:00:00Z",
    resolved: "2026-04-20T12:00:00Z",
    title: "Outage <b>]]>",
    text: "Search & more was down.",
    updates: [{ at: "2026-04-20T12:00:00Z", text: "It is back." }],
  };
  const late = {
    started: "2026-04-22T06:00:00Z",
    resolved: "2026-04-22T09:00:00Z",
    title: "The release was late",
    text: "It was published at 09:00.",
    late_release: "2026-04-22",
  };

  test("each incident has an entry for its start, each update and its end, newest first; a late release has one", () => {
    const { items } = jsonFeed(statusFeed(fakeContext({ incidents: [late, outage] })));
    expect(
      items.map(({ title, content_text, date_published }) => [title, content_text, date_published]),
    ).toEqual([
      ["Resolved: The release was late", "It was published at 09:00.", "2026-04-22T09:00:00Z"],
      ["Resolved: Outage <b>]]>", "The incident has ended.", "2026-04-20T12:00:00Z"],
      ["Update: Outage <b>]]>", "It is back.", "2026-04-20T12:00:00Z"],
      ["Outage <b>]]>", "Search & more was down.", "2026-04-20T10:00:00Z"],
    ]);
    expect(new Set(items.map(({ id }) => id)).size).toBe(4);
    expect(rss(statusFeed(fakeContext({ incidents: [outage] })))).not.toContain("Outage <b>]]></title>");
  });
});

describe("feeds", () => {
  const parser = new XMLParser({
    ignoreAttributes: false,
    processEntities: true,
    trimValues: false,
    isArray: (name: string) => name === "item" || name === "li",
  });

  function channelOf(xml: string) {
    expect(XMLValidator.validate(xml)).toBe(true);
    return parser.parse(xml).rss.channel;
  }

  function feedOf(headline: string, cityName = "Alpha") {
    const context = fakeContext({
      cities: [fakeCity(1, "Alpha", { name: cityName })],
      events: [fakeEvent("evt_1", 1, { headline, summary: headline }), fakeEvent("evt_2", 2)],
    });
    const xml = rss(cityFeed(context, { city: "alpha" }));
    return { xml, channel: channelOf(xml) };
  }

  test("channel and items as interface 4.15 has them", () => {
    const { channel } = feedOf("A new record");
    expect(channel).toMatchObject({
      title: "Physical presence changes in Alpha",
      link: "https://presence.test/city/alpha/",
      description: expect.stringContaining("Alpha"),
      lastBuildDate: "Tue, 30 Jun 2026 00:00:00 GMT",
      "atom:link": { "@_href": "https://presence.test/pulse/alpha/rss.xml", "@_rel": "self" },
    });
    expect(channel.item).toHaveLength(2);
    expect(channel.item[0]).toMatchObject({
      title: "A new record",
      link: "https://presence.test/record/demo_1/",
      guid: { "#text": "evt_1", "@_isPermaLink": "false" },
      pubDate: "Mon, 29 Jun 2026 00:00:00 GMT",
      description: "A new record",
    });
  });

  test("readers can sort events by type and city: categories in each format", () => {
    const events = [
      fakeEvent("evt_1", 1, { type: "stale_asset" }),
      fakeEvent("evt_2", 2, { city: "beta", cityName: "Beta" }),
    ];
    const feed = serviceFeed(fakeContext({ events }));
    const expected = [
      ["stale_asset", "alpha"],
      ["new_public_record", "beta"],
    ];
    expect(channelOf(rss(feed)).item.map(({ category }: { category: unknown }) => category)).toEqual(
      expected,
    );
    const { entry } = parser.parse(atom(feed)).feed;
    const terms = entry.map(({ category }: { category: { "@_term": string }[] }) =>
      category.map((each) => each["@_term"]),
    );
    expect(terms).toEqual(expected);
    expect(jsonFeed(feed).items.map(({ tags }) => tags)).toEqual(expected);
  });

  test("a city without events is a valid empty channel", () => {
    const xml = rss(cityFeed(fakeContext(), { city: "beta" }));
    expect(channelOf(xml).item).toBeUndefined();
    expect(xml).toContain("No changes in this period");
  });

  test("only a demonstration says that it is one", () => {
    const inEnvironment = (environment: "demo" | "production") =>
      channelOf(rss(serviceFeed(fakeContext({ release: { ...release, environment } })))).description;
    expect(inEnvironment("demo")).toMatch(/Demonstration: the names and observations are made up/);
    expect(inEnvironment("production")).not.toContain("Demonstration");
  });

  test("the feed of the service names the city of each event", () => {
    const events = [
      fakeEvent("evt_1", 1, { headline: "Seen" }),
      fakeEvent("evt_2", 0, { headline: "Seen", city: "beta", cityName: "Beta" }),
    ];
    const { item } = channelOf(rss(serviceFeed(fakeContext({ events }))));
    const shown = item.map(({ title, guid }: { title: string; guid: unknown }) => [title, guid]);
    expect(shown).toEqual([
      ["Seen (Beta)", { "#text": "evt_2", "@_isPermaLink": "false" }],
      ["Seen (Alpha)", { "#text": "evt_1", "@_isPermaLink": "false" }],
    ]);
  });

  test("a browser is given a style and a readable part with the same items as links", () => {
    const { xml, channel } = feedOf("A new record");
    expect(xml.split("\n")[1]).toBe(`<?xml-stylesheet type="text/css" href="/feed.css"?>`);
    const { div } = channel;
    expect(div["@_xmlns"]).toBe("http://www.w3.org/1999/xhtml");
    expect(div.p[1].code).toBe("https://presence.test/pulse/alpha/rss.xml");
    expect(div.p[2].a.map((a: { "@_href": string }) => a["@_href"])).toEqual([
      "https://presence.test/city/alpha/",
      "https://presence.test/pulse/alpha/feed.json",
    ]);
    const linked = div.ol.li.map((li: { h3: { a: unknown } }) => li.h3.a);
    expect(linked).toEqual(
      channel.item.map(({ title, link }: { title: string; link: string }) => ({
        "#text": title,
        "@_href": link,
      })),
    );
  });

  test("the readable part uses no name of RSS, so that parsers without namespaces are not misled", () => {
    const [part = ""] = /<div .*<\/div>/s.exec(feedOf("x").xml) ?? [];
    expect(part).toMatch(/<h1>/);
    expect(part).not.toMatch(/<(title|link|description|item|guid|pubDate|image|author|category|source)\b/);
  });

  const entries = z.object({
    feed: z.looseObject({
      id: z.url(),
      title: z.string(),
      updated: z.string(),
      author: z.object({ name: z.string() }),
      link: z.array(z.object({ "@_rel": z.string(), "@_href": z.string() })),
      entry: z.array(
        z.looseObject({
          id: z.string(),
          title: z.object({ "#text": z.string(), "@_type": z.literal("text") }),
        }),
      ),
      div: z.looseObject({ "@_xmlns": z.literal("http://www.w3.org/1999/xhtml") }),
    }),
  });

  test("the same as Atom, its ids made of those of the events", () => {
    const headline = "<b>A</b> & ]]> co";
    const events = [fakeEvent("evt_1", 1, { headline, summary: "Seen" }), fakeEvent("evt_2", 2)];
    const xml = atom(cityFeed(fakeContext({ events }), { city: "alpha" }));
    expect(XMLValidator.validate(xml)).toBe(true);
    expect(xml.split("\n")[1]).toBe(`<?xml-stylesheet type="text/css" href="/feed.css"?>`);
    const { feed } = entries.parse(
      new XMLParser({ ignoreAttributes: false, isArray: (name) => name === "entry" }).parse(xml),
    );
    expect(feed).toMatchObject({
      id: "https://presence.test/pulse/alpha/atom.xml",
      title: "Physical presence changes in Alpha",
      updated: "2026-06-30T00:00:00.000Z",
      link: [
        { "@_rel": "alternate", "@_href": "https://presence.test/city/alpha/" },
        { "@_rel": "self", "@_href": "https://presence.test/pulse/alpha/atom.xml" },
      ],
      entry: [
        {
          id: "tag:presence.test,2026:evt_1",
          title: { "#text": "<b>A</b> & ]]> co" },
          link: { "@_href": "https://presence.test/record/demo_1/" },
          updated: "2026-06-29T00:00:00.000Z",
          published: "2026-06-29T00:00:00.000Z",
          summary: { "#text": "Seen", "@_type": "html" },
        },
        { id: "tag:presence.test,2026:evt_2" },
      ],
    });
  });

  test.each([
    ["<script>alert(1)</script>", "<script>alert(1)</script>"],
    ["a ]]> b", "a ]]> b"],
    ["a ]]> b ]]>]]> <x> c", "a ]]> b ]]>]]> <x> c"],
    ["Tom & Jerry &amp; <b>", "Tom & Jerry &amp; <b>"],
    ["\"double\" and 'single'", "\"double\" and 'single'"],
    ["bell\u0007 null\u0000 del\u007f", "bell null del"],
    ["lone \ud83d surrogate", "lone  surrogate"],
    ["nonchar \ufffe\uffff", "nonchar "],
    ["Café 🚚 東京", "Café 🚚 東京"],
  ])("a headline %j reads back as text", (headline, expected) => {
    expect(feedOf(headline).channel.item[0].title).toBe(expected);
  });

  test("a description shows markup as text to readers that take it for HTML", () => {
    const { channel } = feedOf("<img src=x onerror=alert(1)> & co");
    expect(channel.item[0].description).toBe("&lt;img src=x onerror=alert(1)&gt; &amp; co");
  });

  test.each(["<b>Bold</b>", "Tom &amp; Jerry", "a ]]></title><x/>", "<![CDATA[x]]>", "&lt;i&gt;"])(
    "the name %j is text in the titles and descriptions of all formats",
    (name) => {
      const context = fakeContext({
        cities: [fakeCity(1, "Alpha", { name })],
        events: [fakeEvent("evt_1", 1, { headline: name, summary: name })],
      });
      const feed = cityFeed(context, { city: "alpha" });
      const html = name.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
      for (const xml of [rss(feed), atom(feed)]) {
        expect(XMLValidator.validate(xml)).toBe(true);
        expect(xml).not.toContain(`<title><![CDATA[`);
        expect(xml.match(/<title[^>]*>[^<]*<\/title>/g)).toHaveLength(2);
      }
      const { channel } = parser.parse(rss(feed)).rss;
      expect(channel).toMatchObject({
        title: expect.stringContaining(name),
        description: expect.stringContaining(html),
      });
      expect(channel.item[0]).toMatchObject({ title: name, description: html });
      const parsed = parser.parse(atom(feed)).feed;
      expect(parsed).toMatchObject({
        title: expect.stringContaining(name),
        subtitle: expect.stringContaining(name),
      });
      expect(parsed.entry).toMatchObject({
        title: { "@_type": "text", "#text": name },
        summary: { "@_type": "html", "#text": html },
      });
      const json = jsonFeed(feed);
      expect(json).toMatchObject({
        title: expect.stringContaining(name),
        description: expect.stringContaining(name),
      });
      expect(json.items[0]).toMatchObject({ title: name, content_text: name });
    },
  );

  test("any name gives a feed of allowed characters that reads back", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", minLength: 1 }), (name) => {
        const { xml, channel } = feedOf(`x${name}`, `y${name}`);
        expect(xml).toMatch(/^[\t\n\r\x20-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]*$/u); // XML 1.0, 2.2
        const allowed = `x${name}`.replace(/[^\P{Cc}\t\n\r]|[\uFFFE\uFFFF]|\p{Cs}/gu, "");
        expect(channel.item[0].title).toBe(allowed.replace(/\r\n?/g, "\n"));
        expect(channel.item).toHaveLength(2);
      }),
    );
  });

  test("a feed that is cut says at how many changes, and where the others are", () => {
    const events = Array.from({ length: 60 }, (_, at) => fakeEvent(`evt_${at}`, at / 10));
    const feed = cityFeed(fakeContext({ events }), { city: "alpha" });
    expect(feed.items).toHaveLength(50);
    expect(feed.description).toContain("at most the newest 50 of the last 30 days");
    expect(feed.description).toContain(
      "For all of them, page by page, see https://presence.test/api/v1/pulse/alpha",
    );
    const many = Array.from({ length: 130 }, (_, at) => fakeEvent(`evt_${at}`, at / 10));
    const service = serviceFeed(fakeContext({ events: many }));
    expect(service.items).toHaveLength(100);
    expect(service.description).toContain("at most the newest 100");
  });
});

describe("JSON Feed", () => {
  const events = [
    fakeEvent("evt_1", 1, { headline: "<b>A</b> & co", summary: "Seen \ud83d once" }),
    fakeEvent("evt_2", 2),
  ];

  test("a city's feed as JSON Feed 1.1", () => {
    expect(jsonFeed(cityFeed(fakeContext({ events }), { city: "alpha" }))).toMatchObject({
      version: "https://jsonfeed.org/version/1.1",
      title: "Physical presence changes in Alpha",
      home_page_url: "https://presence.test/city/alpha/",
      feed_url: "https://presence.test/pulse/alpha/feed.json",
      language: "en",
      items: [
        {
          id: "evt_1",
          url: "https://presence.test/record/demo_1/",
          title: "<b>A</b> & co",
          date_published: "2026-06-29T00:00:00Z",
        },
        { id: "evt_2" },
      ],
    });
  });

  test("the same release gives the same text, and no feed is too empty to be valid", () => {
    const text = () => JSON.stringify(jsonFeed(serviceFeed(fakeContext({ events }))));
    expect(text()).toBe(text());
    expect(jsonFeed(cityFeed(fakeContext(), { city: "beta" })).items).toEqual([]);
  });

  test.each([
    ["version 1", { version: "https://jsonfeed.org/version/1" }],
    ["an address that is none", { feed_url: "/pulse/feed.json" }],
    ["an item without content", { items: [{ id: "x" }] }],
  ])("the schema refuses %s", (_, wrong) => {
    const right = jsonFeed(serviceFeed(fakeContext({ events })));
    expect(JsonFeed.safeParse(right).success).toBe(true);
    expect(JsonFeed.safeParse({ ...right, ...wrong }).success).toBe(false);
  });
});

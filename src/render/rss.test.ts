import fc from "fast-check";
import { XMLParser, XMLValidator } from "fast-xml-parser";
import { expect, test } from "vitest";
import { fakeCity, fakeEvent } from "../../tests/support/fake-rows.ts";
import { fakeContext } from "../../tests/support/fake-snapshot.ts";
import { pulse } from "../resources/pulse.ts";
import { pulseRss, xmlText } from "./rss.ts";

const BASE_URL = "https://presence.test";

function feedOf(headline: string, cityName = "Alpha") {
  const context = fakeContext({
    cities: [fakeCity(1, "Alpha", { name: cityName })],
    events: [fakeEvent("evt_1", 1, { headline, summary: headline }), fakeEvent("evt_2", 2)],
  });
  const xml = pulseRss(pulse.read(context, { city: "alpha" }, {}), BASE_URL);
  expect(XMLValidator.validate(xml)).toBe(true);
  const parser = new XMLParser({
    ignoreAttributes: false,
    processEntities: true,
    trimValues: false,
    isArray: (name: string) => name === "item",
  });
  return { xml, channel: parser.parse(xml).rss.channel };
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

test("a city without events is a valid empty channel", () => {
  const xml = pulseRss(pulse.read(fakeContext(), { city: "beta" }, {}), BASE_URL);
  expect(XMLValidator.validate(xml)).toBe(true);
  expect(xml).not.toContain("<item>");
});

test.each([
  ["<script>alert(1)</script>", "<script>alert(1)</script>"],
  ["a ]]> b", "a ]]> b"],
  ["Tom & Jerry &amp; <b>", "Tom & Jerry &amp; <b>"],
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

test("any name gives a feed of allowed characters that reads back", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", minLength: 1 }), (name) => {
      const { xml, channel } = feedOf(`x${name}`, `y${name}`);
      expect(xml).toMatch(/^[\t\n\r\x20-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]*$/u); // XML 1.0, 2.2
      expect(channel.item[0].title).toBe(xmlText(`x${name}`).replace(/\r\n?/g, "\n"));
      expect(channel.item).toHaveLength(2);
    }),
  );
});

import { expect, test } from "vitest";
import { fakeEvent } from "../../../tests/support/release/fake-rows.ts";
import { fakeContext } from "../../../tests/support/release/fake-snapshot.ts";
import { JsonFeed } from "../../contract/service/json-feed.ts";
import { cityFeed, jsonFeed, serviceFeed } from "./feeds.ts";

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

import { expect, test } from "vitest";
import { fakeContext } from "../../../tests/support/release/fake-snapshot.ts";
import { jsonFeed, rss } from "./feeds.ts";
import { statusFeed } from "./status-feed.ts";

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

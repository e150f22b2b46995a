import { expect, test } from "vitest";
import { renderPage } from "../../tests/support/pages/compiled.ts";
import { fakeRecord } from "../../tests/support/release/fake-rows.ts";
import { fakeContext } from "../../tests/support/release/fake-snapshot.ts";
import { pageAddresses } from "./page-addresses.ts";

const HOSTILE = `"><script>`;
const context = fakeContext({
  records: [fakeRecord(1), fakeRecord(2, { mergedInto: "demo_1" }), fakeRecord(3, { mergedInto: HOSTILE })],
});

test("the page of a merged record leads on by refresh, canonical address and link, and has no script", async () => {
  const page = await renderPage("/merged/demo_2/", context);
  expect(page).toContain('<meta http-equiv="refresh" content="0; url=/record/demo_1/">');
  expect(page).toMatch(/<link rel="canonical" href="https?:\/\/[^/]+\/record\/demo_1\/">/);
  expect(page).toContain('<a href="/record/demo_1/">demo_1</a>');
  expect(page).not.toContain("<script");
});

test("ids are text and never markup", async () => {
  const page = await renderPage("/merged/demo_3/", context);
  expect(page.replace(/"[^"]*"/g, '""')).not.toContain("<script>");
});

test("files lie at the addresses of their pages, but for two, one of each route in turn", () => {
  const routes = ["/", "/404", "/ledger/by-hand", "/merged/[public_id]", "/city/[slug]"].map((pattern) => ({
    pattern,
    type: "page",
  }));
  const files = [...pageAddresses([...routes, { pattern: "/feed.css", type: "endpoint" }], context)];
  expect(files.map(({ pathname, file }) => [pathname, file])).toEqual([
    ["/", "index.html"],
    ["/404/", "404.html"],
    ["/ledger/by-hand/", "ledger/by-hand/index.html"],
    ["/merged/demo_2/", "record/demo_2/index.html"],
    ["/city/alpha/", "city/alpha/index.html"],
    ["/feed.css", "feed.css"],
    ["/merged/demo_3/", "record/demo_3/index.html"],
    ["/city/beta/", "city/beta/index.html"],
  ]);
});

test("a route whose values nobody knows is a fault", () => {
  expect(() => [...pageAddresses([{ pattern: "/new/[id]", type: "page" }], context)]).toThrow("/new/[id]");
});

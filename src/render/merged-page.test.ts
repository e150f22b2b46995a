import { expect, test } from "vitest";
import { mergedPage, recordPagePath } from "./merged-page.ts";

test("the page leads on by refresh, canonical address and link, and has no script", () => {
  const page = mergedPage("https://example.org", "pr_old", "pr_new");
  expect(page).toContain('<meta http-equiv="refresh" content="0; url=/record/pr_new/">');
  expect(page).toContain('<link rel="canonical" href="https://example.org/record/pr_new/">');
  expect(page).toContain('<a href="/record/pr_new/">pr_new</a>');
  expect(page).not.toContain("<script");
  expect(recordPagePath("pr_old")).toBe("record/pr_old/index.html");
});

test("ids are text and never markup", () => {
  const page = mergedPage("https://example.org", '"><script>', "'><script>");
  expect(page).not.toContain("<script>");
});

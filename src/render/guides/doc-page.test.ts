import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { docPage } from "./doc-page.ts";

test("title and text come apart", () => {
  expect(docPage('<h1 id="a">A <em>b</em></h1>\n<p>Text.</p>')).toEqual({
    title: "A <em>b</em>",
    body: "\n<p>Text.</p>",
  });
});

test.each([
  ['<a href="methodology.md">m</a>', '<a href="/methodology/">m</a>'],
  ['<a href="methodology.md#city-coverage">m</a>', '<a href="/methodology/#city-coverage">m</a>'],
  ['<a href="verify-by-hand.md">by <b>hand</b></a>', '<a href="/ledger/by-hand/">by <b>hand</b></a>'],
  [
    '<a href="../tests/go/main.go">Go</a> and <a href="methodology.md">m</a>',
    'Go and <a href="/methodology/">m</a>',
  ],
  [
    '<h2 id="2-the-leaf">2.</h2><a href="#2-the-leaf">2</a>',
    '<h2 id="section-2-the-leaf">2.</h2><a href="#section-2-the-leaf">2</a>',
  ],
  ['<a href="#own">own</a>', '<a href="#own">own</a>'],
  ['<a href="/verify/">v</a>', '<a href="/verify/">v</a>'],
  ['<a href="https://c2sp.org/x">x</a>', '<a href="https://c2sp.org/x">x</a>'],
])("%s", (given, expected) => {
  expect(docPage(`<h1>T</h1>${given}`).body).toBe(expected);
});

const table = (head: string) =>
  `<table><thead><tr><th>${head}</th><th align="right">b</th></tr></thead></table>`;
const box = (name: string, inside: string) =>
  `<div class="scroll" role="region" aria-label="${name}" tabindex="0">${inside}</div>`;

test("a table scrolls in a box of its own, which bears the heading and the columns as its name", () => {
  const text = `<h2 id="s">The <code>"leaf"</code> &amp; tree</h2>${table("<code>a</code>")}<p>and</p>${table("a")}`;
  expect(docPage(`<h1>T</h1>${table("z")}${text}`).body).toBe(
    `${box("Table: z, b", table("z"))}<h2 id="s">The <code>"leaf"</code> &amp; tree</h2>` +
      `${box("The &quot;leaf&quot; &amp; tree: a, b", table("<code>a</code>"))}<p>and</p>` +
      box("The &quot;leaf&quot; &amp; tree: a, b (2)", table("a")),
  );
});

test("a file without a title is an error", () => {
  expect(() => docPage("<p>Text.</p>")).toThrow("does not begin with a title");
});

test("every file that has a page is there", () => {
  for (const name of ["methodology", "verify-by-hand", "api-changelog", "quick-start"])
    expect(existsSync(join(import.meta.dirname, `../../../docs/${name}.md`))).toBe(true);
});

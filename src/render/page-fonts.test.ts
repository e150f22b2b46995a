import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { expect, test } from "vitest";
import { z } from "zod";
import { fontsShown, lettersOf } from "./page-fonts.ts";

const { resolve } = createRequire(import.meta.url);
const Ranges = z.object({ latin: z.string(), "latin-ext": z.string() });
const extended = lettersOf("U+0000-02BA,U+20AC,U+1E00-1E9F", "U+0000-00FF");

test.each([
  ["<p>Café Zürich</p>", ["text"]],
  ["<p>Kavárna Říp</p>", ["text", "text beyond Latin-1"]],
  ["<p>信濃川べり本と珈琲の店</p>", ["text"]],
  ["<p>Ask <code>search</code></p>", ["text", "code"]],
  ['<pre class="code">curl</pre>', ["text", "code"]],
  ["<p>The decoder is <b>preferred</b></p>", ["text"]],
  ['<a title="Říp">mountain</a>', ["text"]],
  ["<details><summary>More</summary><code>x</code> Říp</details>", ["text"]],
  ["<details open><summary>More</summary><code>x</code></details>", ["text", "code"]],
  ["<details><details open><code>x</code></details></details><p>Říp</p>", ["text", "text beyond Latin-1"]],
  ["<details><p>Říp</p></details><code>x</code><details>Říp</details>", ["text", "code"]],
])("%s", (html, fonts) => {
  expect(fontsShown(html, extended)).toEqual(fonts);
});

test("a range is of single code points and of ranges", () => {
  expect(["ÿ", "Ā", "ʺ", "ʻ", "€", "Ệ"].map((letter) => extended.test(letter))).toEqual([
    false,
    true,
    true,
    false,
    true,
    false,
  ]);
});

test("the style names the ranges that the packages' files have", () => {
  const style = readFileSync(new URL("../site/styles/fonts.css", import.meta.url), "utf8");
  const faces = [
    ...style.matchAll(/url\("([^"]+)\/files\/[^"]*-(latin(?:-ext)?)-[^"]*"\)[^}]*unicode-range:\s+([^;]+);/g),
  ];
  expect(faces).toHaveLength(3);
  for (const [, name, subset, range] of faces) {
    const ranges = Ranges.parse(JSON.parse(readFileSync(resolve(`${name}/unicode.json`), "utf8")));
    expect(range?.replace(/\s/g, "")).toBe(ranges[subset === "latin" ? "latin" : "latin-ext"]);
  }
});

import fc from "fast-check";
import { expect, test } from "vitest";
import { operatorHtml } from "./operator-text.ts";

test("Markdown becomes HTML", () => {
  expect(operatorHtml('We are *us*: <https://us.example>\n\n1. one\n2. [two](/about/ "t")\n\n---\n')).toBe(
    '<p>We are <em>us</em>: <a href="https://us.example">https://us.example</a></p>\n<ol>\n<li>one</li>\n<li><a href="/about/" title="t">two</a></li>\n</ol>\n<hr>\n',
  );
});

test.each([
  ["<script>alert(1)</script>", "&lt;script&gt;alert(1)&lt;/script&gt;"],
  ["a <img src=x onerror=alert(1)> b", "<p>a &lt;img src=x onerror=alert(1)&gt; b</p>"],
  ["`<h1>` and <h1>x</h1>", "<p><code>&lt;h1&gt;</code> and &lt;h1&gt;x&lt;/h1&gt;</p>"],
  ["<!--/view-->", "&lt;!--/view--&gt;"],
  ["[x](javascript:alert(1))", "<p>x</p>"],
  ["[x](JaVaScRiPt:alert(1) 'title')", "<p>x</p>"],
  ["[x](<java\nscript:alert(1)>)", "<p>[x](&lt;java\nscript:alert(1)&gt;)</p>"],
  ["[x](&#106;avascript:alert(1))", "<p>x</p>"],
  ["[x](data:text/html,1)", "<p>x</p>"],
  ["[x](vbscript:1)", "<p>x</p>"],
  ["<javascript:alert(1)>", "<p>javascript:alert(1)</p>"],
  ["[x][r]\n\n[r]: javascript:alert(1)", "<p>x</p>"],
  ["![a](https://evil.example/p.png)", '<p>!<a href="https://evil.example/p.png">a</a></p>'],
  ['[x](/a" onclick="alert(1))', "<p>[x](/a&quot; onclick=&quot;alert(1))</p>"],
  ['```html" onclick="x\n<b>\n```', '<pre><code class="language-html&quot;">&lt;b&gt;\n</code></pre>'],
])("%j is harmless", (markdown, expected) => {
  expect(operatorHtml(markdown).trim()).toBe(expected);
});

test("headings go below level 2, and none leaves out a level", () => {
  const levels = (markdown: string) =>
    [...operatorHtml(markdown).matchAll(/<h(\d)>/g)].map(([, level]) => Number(level));
  expect(levels("# a\n\n## b\n\n## c\n\n# d\n")).toEqual([3, 4, 4, 3]);
  expect(levels("### a\n\n##### b\n\n## c\n\n# d\n")).toEqual([3, 4, 3, 3]);
  expect(levels("# a\n## b\n### c\n#### d\n##### e\n###### f\n")).toEqual([3, 4, 5, 6, 6, 6]);
  expect(levels("a\n=\n\nb\n-\n")).toEqual([3, 4]);
});

const ELEMENTS = /^(h[3-6]|p|a|em|strong|code|pre|ul|ol|li|blockquote|hr|br)$/;
const pieces = fc.constantFrom(
  "#",
  "##",
  " ",
  "\n",
  "\n\n",
  "<",
  ">",
  "script",
  "a",
  "[",
  "](",
  ")",
  "javascript:",
  "!",
  "`",
  "*",
  "&lt;",
  "href=",
  '"',
  "'",
  "---",
  "- ",
  "<!--",
  "<h1>",
  "\u0000",
);

test("whatever the text, the elements are those of a text, with nothing that runs or loads", () => {
  const texts = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.array(pieces, { maxLength: 30 }).map((all) => all.join("")),
  );
  fc.assert(
    fc.property(texts, (markdown) => {
      for (const [, name = "", attributes = ""] of operatorHtml(markdown).matchAll(
        /<\/?([^\s>]*)([^>]*)>/g,
      )) {
        expect(name).toMatch(ELEMENTS);
        expect(attributes).toMatch(/^( (href|title|class|start)="[^"<]*")*$/);
        expect(attributes).not.toMatch(/href="\s*(javascript|data|vbscript):/i);
      }
    }),
    { numRuns: 300 },
  );
});

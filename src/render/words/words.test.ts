import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { SignShare } from "../../contract/cities/coverage.ts";
import { demandText, measuredText, operatorHtml, signShareText } from "./words.ts";

describe("accuracy words", () => {
  const share: SignShare = {
    value: 0.847,
    hits: 72,
    signs: 85,
    confidence_interval: { low: 0.753, high: 0.916, level: 0.95, method: "exact" },
    not_yet_known: null,
  };
  const plain = (text: string) => text.replaceAll("\u00a0", " ");

  test("a share with its counts and its interval", () => {
    expect(plain(signShareText(share))).toBe("84.7 % (72 of 85; 95 % interval 75.3 % to 91.6 %)");
  });

  test("a share that is not known says why, and shows no number", () => {
    const unknown = {
      value: null,
      hits: 2,
      signs: 3,
      confidence_interval: null,
      not_yet_known: "Not yet known: fewer than 30 signs.",
    };
    expect(signShareText(unknown)).toBe("2 of 3. Not yet known: fewer than 30 signs.");
  });

  test("when it was measured, and how much was visited", () => {
    const measurement = {
      visited_from: "2026-05-02",
      visited_until: "2026-05-04",
      age_days: 1,
      supports_high: true,
      plan_row: 5,
      result_row: 7,
      manifest_sha256: "0".repeat(64),
      assets_drawn: 40,
      assets_visited: 38,
      cells_drawn: 1,
      cells_visited: 1,
      precision: { total: share, by_asset_type: { storefront: share, billboard: share, site_sign: share } },
      detection_rate: {
        total: share,
        by_asset_type: { storefront: share, billboard: share, site_sign: share },
      },
    };
    expect(measuredText(measurement)).toBe(
      "Measured from 2 May 2026 to 4 May 2026, 1 day ago. Scouts visited 38 of 40 drawn assets and searched 1 of 1 drawn area.",
    );
    expect(measuredText({ ...measurement, visited_until: "2026-05-02" })).toMatch(
      /^Measured on 2 May 2026, /,
    );
  });
});

describe("demand text", () => {
  const DEMAND = {
    window_days: 30,
    window_end: "2026-05-01T00:00:00Z",
    searches: 412,
    searches_without_result: 37,
    alert_subscriptions: 1,
    daily_clients: 164,
    note: "",
  };

  test("demand in words has every figure, and says why there is none", () => {
    expect(demandText(DEMAND)).toBe(
      "In the 30 days before this release: 412 searches by 164 daily clients, of which 37 found no record; 1 new subscription.",
    );
    expect(demandText({ ...DEMAND, window_days: 1 })).toMatch(/^In the day before this release: /);
    expect(demandText(null)).toBe("Too few searches to show, or none counted.");
  });
});

describe("operator text", () => {
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
});

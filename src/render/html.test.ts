import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type HtmlValue, html, raw } from "./html.ts";

const HOSTILE = [
  `</td><script>alert(1)</script>`,
  `" onmouseover="alert(1)`,
  `' autofocus onfocus='alert(1)`,
  `<!--`,
  `--><img src=x onerror=alert(1)>`,
  `&lt;b&gt; &amp;amp; &#60;`,
  `]]><svg onload=alert(1)>`,
  "\u202egnp.exe",
];

describe("values are text", () => {
  test.each(HOSTILE)("%s", (value) => {
    const text = String(html`<p title="${value}">${value}</p>`);
    const [, title = "", content = ""] = /^<p title="([^"<>]*)">([^<>]*)<\/p>$/.exec(text) ?? [];
    expect([unescaped(title), unescaped(content)]).toEqual([value, value]);
  });

  test("whatever the value, it ends neither the text nor the attribute it stands in, and is read as it was", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.string({ unit: "grapheme-ascii" }), (title, content) => {
        const text = String(html`<p title="${title}">${content}</p>`);
        const match = /^<p title="([^"<>]*)">([^<>]*)<\/p>$/.exec(text);
        expect(match).not.toBeNull();
        expect(unescaped(match?.[1] ?? "")).toBe(title);
        expect(unescaped(match?.[2] ?? "")).toBe(content);
      }),
    );
  });

  test("also within lists of lists", () => {
    expect(String(html`<ul>${["<", ["&", html`<li>${">"}</li>`]]}</ul>`)).toBe(
      "<ul>&lt;&amp;<li>&gt;</li></ul>",
    );
  });

  test("an object that only looks like markup is refused by its type and is not trusted", () => {
    // @ts-expect-error only this module makes safe markup
    const forged: HtmlValue = { toString: () => "<b>" };
    expect(() => html`<p>${forged}</p>`).toThrow(TypeError);
  });
});

test("markup stands as it is, numbers as they are, and what is not there leaves nothing behind", () => {
  const row = html`<i>${"a"}</i>`;
  expect(String(html`<p>${row}${raw("<br>")}${0}${undefined}${null}${false}${""}</p>`)).toBe(
    "<p><i>a</i><br>0</p>",
  );
});

test("indentation of the source is not sent, and that of values stays", () => {
  const text = html`<ul>
      <li>${"a\n   b"}</li>
    </ul>`;
  expect(String(text)).toBe("<ul>\n<li>a\n   b</li>\n</ul>");
});

function unescaped(text: string): string {
  return text
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&amp;", "&");
}

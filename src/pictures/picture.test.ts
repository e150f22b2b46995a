import { expect, test } from "vitest";
import { HOSTILE, svgFaults } from "../../tests/support/pages/svg.ts";
import { html } from "../render/html.ts";
import { drawing, type Picture, pictureHtml } from "./picture.ts";

function picture(name: string): Picture {
  const frame = { id: "p", title: name, description: name, height: 100, role: "img", kind: "map" } as const;
  return {
    svg: drawing(frame, html`<text>${name}</text>`),
    caption: name,
    legend: [{ mark: html`<path d="M0 0h1"/>`, meaning: name }],
    table: { caption: name, head: [name, "Count"], rows: [[name, 1234]] },
  };
}

test.each(HOSTILE)("a figure about %s is escaped everywhere", (name) => {
  const text = String(pictureHtml(picture(name)));
  expect(text).not.toMatch(/<script|<b>|"\sonload/);
  expect(svgFaults(text.replaceAll(' class="number"', ""))).toEqual([]);
});

test("figure, caption first, drawing, legend, and the table in its own region", () => {
  const text = String(pictureHtml({ ...picture("Guelph"), openMap: '{"city":"guelph"}' }));
  expect(text).toMatch(
    /^<figure class="picture" data-map="{&quot;city&quot;:&quot;guelph&quot;}">\n<figcaption>Guelph<\/figcaption>/,
  );
  expect(text).toContain('<th scope="row">Guelph</th><td class="number">1,234</td>');
  expect(text).toContain('role="region" aria-label="Guelph" tabindex="0"');
  expect(String(pictureHtml(picture("Guelph")))).not.toContain("data-map");
});

test("where there is no picture, its sentence stands", () => {
  expect(String(pictureHtml({ sentence: "Nothing <yet>." }))).toBe(
    '<p class="soft no-picture">Nothing &lt;yet&gt;.</p>',
  );
});

test("a drawing names and describes itself, and keeps its shape", () => {
  expect(picture("Guelph").svg).toMatch(
    /viewBox="0 0 640 100" width="640" height="100" role="img" aria-labelledby="p-title p-desc"><title id="p-title">Guelph<\/title><desc id="p-desc">/,
  );
});

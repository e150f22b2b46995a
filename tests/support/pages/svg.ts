import { XMLValidator } from "fast-xml-parser";

/** For tests: what no drawing may have, whatever it was made from. */
export function svgFaults(svg: string): string[] {
  const faults: string[] = [];
  const validity = XMLValidator.validate(svg);
  if (validity !== true) faults.push(`no XML: ${validity.err.msg}`);
  if (/\s(d|x|y|cx|cy|r|width|height|viewBox|transform)="[^"]*(NaN|undefined|Infinity|null)/.test(svg))
    faults.push("a number that is none");
  const tags = (svg.match(/<[^>]*>/g) ?? []).map((tag) => tag.replace(/"[^"]*"/g, ""));
  if (tags.some((tag) => /^<s(cript|tyle)|\s(on\w+|style)=/.test(tag))) faults.push("a script or a style");
  const ids = [...svg.matchAll(/\sid="([^"]*)"/g)].map(([, id]) => id);
  if (new Set(ids).size !== ids.length) faults.push("an id twice");
  const used = [...svg.matchAll(/url\(#([^)]*)\)/g)].map(([, id]) => id);
  faults.push(...used.filter((id) => !ids.includes(id)).map((id) => `nothing has the id ${id}`));
  return faults;
}

/** How many marks a path of `cornersPath` carries. */
export function markCount(svg: string, markerId: string): number {
  const path = new RegExp(`marker-start="url\\(#${markerId}\\)"[^>]* d="([^"]*)"`).exec(svg)?.[1];
  if (path === undefined) return 0;
  const numbers = path.replace(/h0$/, "").match(/-?\d+/g) ?? [];
  return numbers.length / 2;
}

export const HOSTILE = [
  `</svg><script>alert(1)</script>`,
  `" onload="alert(1)`,
  `<b>&amp;</b> ]]> & <`,
  "x".repeat(200),
  "مخبز الحي القديم",
  "松本市役所",
  "🎉🏳️‍🌈 Café\u0301",
];

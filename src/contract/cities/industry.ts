import { z } from "zod";
import isic from "../../../data/isic-rev5.json" with { type: "json" };
import { IndustryLevel } from "../enums.ts";
import { SCHEMA } from "../versions.ts";

/** UN ISIC Revision 5: 22 sections, 87 divisions, 258 groups, 463 classes. `data/isic-rev5.json` is its only copy. */

export interface Industry {
  readonly code: string;
  readonly title: string;
  readonly level: IndustryLevel;
  readonly sectionCode: string;
  readonly sectionTitle: string;
}

const IsicFile = z.object({
  sections: z.array(
    z.object({
      section: z.string().regex(/^[A-Z]$/),
      title: z.string().min(1),
      codes: z.array(z.tuple([z.string().regex(/^\d{2,4}$/), z.string().min(1)])),
    }),
  ),
});

const LEVEL_BY_LENGTH: Readonly<Record<number, IndustryLevel>> = { 2: "division", 3: "group", 4: "class" };

/** All entries in classification order: each parent directly before its children. */
export const INDUSTRIES: readonly Industry[] = IsicFile.parse(isic).sections.flatMap((section) => {
  const belongsTo = { sectionCode: section.section, sectionTitle: section.title };
  return [
    { code: section.section, title: section.title, level: "section" as const, ...belongsTo },
    ...section.codes.map(([code, title]) => ({
      code,
      title,
      level: LEVEL_BY_LENGTH[code.length] ?? "class",
      ...belongsTo,
    })),
  ];
});

const byCode = new Map(INDUSTRIES.map((industry) => [industry.code, industry]));
const pathByCode = new Map(INDUSTRIES.map((industry) => [industry.code, pathOf(industry)]));

function pathOf({ code, level, sectionCode }: Industry): readonly string[] {
  if (level === "section") return [code];
  // Below the section, a code starts with its parent's code (ISIC Rev. 5, coding system).
  return [sectionCode, ...[2, 3, 4].filter((length) => length <= code.length).map((n) => code.slice(0, n))];
}

/** Returns the entry of a code at any level, or undefined for an unknown code. */
export function findIndustry(code: string): Industry | undefined {
  return byCode.get(code);
}

/** Returns the code with its ancestors, section first: `5610` gives I, 56, 561, 5610. Empty for an unknown code. */
export function industryPath(code: string): readonly string[] {
  return pathByCode.get(code) ?? [];
}

/** Returns whether `code` equals `filter` or lies below it (design 7). All industry filters match this way. */
export function isUnder(code: string, filter: string): boolean {
  return industryPath(code).includes(filter);
}

/** Returns the narrowest common ancestor of `codes`, or null when they share none. */
export function commonIndustry(codes: readonly string[]): string | null {
  const [first = "", ...others] = codes;
  const shared = industryPath(first).findLast((ancestor) => others.every((code) => isUnder(code, ancestor)));
  return shared ?? null;
}

export const IndustryOption = z
  .looseObject({
    code: z.string(),
    title: z.string(),
    level: IndustryLevel,
    sectionCode: z.string(),
    sectionTitle: z.string(),
  })
  .meta({ id: "IndustryOption", description: "One entry of the ISIC Rev. 5 taxonomy." });

export const IndustryOptionsResponse = z
  .looseObject({
    schema: z.literal(SCHEMA.industryOptions),
    source: z.string(),
    query: z.string().nullable().describe("The search text; null when omitted."),
    industries: z.array(IndustryOption),
  })
  .meta({ id: "IndustryOptionsResponse", description: "Matching industries." });
export type IndustryOptionsResponse = z.infer<typeof IndustryOptionsResponse>;

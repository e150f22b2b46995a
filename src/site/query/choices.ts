/** What the lists of the forms offer. */

import { findIndustry, INDUSTRIES } from "../../contract/cities/industry.ts";
import { industryText, number } from "../../render/words/format.ts";
import { type CityIndustry, cityIndustries } from "../../resources/cities/cities.ts";
import { perCity, perSite } from "../site.ts";

export interface Choice {
  readonly value: string;
  readonly label: string;
}

interface ChoiceGroup {
  readonly label: string;
  readonly choices: readonly Choice[];
}

export type Choices = readonly (Choice | ChoiceGroup)[];

export function fieldId(page: string, name: string): string {
  return `${page}-${name.replaceAll("_", "-")}`;
}

/** The choices of a closed list, with a word for each. */
export function choicesOf<Code extends string>(
  codes: readonly Code[],
  words: Readonly<Record<Code, string>>,
): Choice[] {
  return codes.map((code) => ({ value: code, label: words[code] }));
}

export const cityChoices = perSite(({ context }): Choice[] =>
  context.snapshot
    .cities()
    .map(({ slug, name, region }) => ({ value: slug, label: [name, region].filter(Boolean).join(", ") }))
    .sort((a, b) => a.label.localeCompare(b.label, "en")),
);

const SECTIONS = INDUSTRIES.filter(({ level }) => level === "section").map(industryChoice);

/** The sections, and what was asked for if it lies below them. */
export function industryChoices(code: string | undefined): Choices {
  const industry = code === undefined ? undefined : findIndustry(code);
  if (industry === undefined || industry.level === "section") return SECTIONS;
  return [industryChoice(industry), ...SECTIONS];
}

function industryChoice({ code, title }: { code: string; title: string }): Choice {
  return { value: code, label: `${code} · ${title}` };
}

/** The industries of a city, those of a section together. */
export const cityIndustryChoices = perCity(({ context }, slug): Choices => {
  const industries = cityIndustries(context, slug);
  return [...Map.groupBy(industries, ({ section }) => section).values()].map((group) => ({
    label: group[0]?.title ?? "",
    choices: group.map(cityIndustryChoice),
  }));
});

function cityIndustryChoice({ code, title, level, records }: CityIndustry): Choice {
  const isSection = level === "section";
  return { value: code, label: `${isSection ? `All of: ${title}` : title} (${number(records)})` };
}

/** An industry that was asked for stays chosen, though no choice offers it. */
export function otherIndustry(choices: Choices, code: string | undefined): Choice[] {
  const label = industryText(code ?? null);
  const isOffered = choices.some(
    (group) => "choices" in group && group.choices.some(({ value }) => value === code),
  );
  return code !== undefined && label !== code && !isOffered ? [{ value: code, label }] : [];
}

import { findIndustry, INDUSTRIES } from "../contract/cities/industry.ts";
import { PublicError } from "../kernel/errors.ts";
import { html, raw, type SafeHtml } from "../render/html.ts";
import type { ReadContext } from "../resources/define.ts";

/** Fields of the forms. An id is that of the view and the name of the field, so that the focus can be kept when a form is replaced. */

export interface Choice {
  readonly value: string;
  readonly label: string;
}

interface ChoiceGroup {
  readonly label: string;
  readonly choices: readonly Choice[];
}

interface Field {
  readonly view: string;
  readonly name: string;
  readonly label: string;
  readonly value: string | undefined;
}

/** A list to choose from. `any` is what choosing nothing is called; without it the first choice is what is not given. */
export function selectField(
  field: Field & { readonly any?: string; readonly choices: readonly (Choice | ChoiceGroup)[] },
): SafeHtml {
  const { value, any, choices } = field;
  const id = idOf(field);
  const option = (choice: Choice) =>
    html`<option value="${choice.value}"${choice.value === value && raw(" selected")}>${choice.label}</option>`;
  return html`<div>
    <label for="${id}">${field.label}</label>
    <select id="${id}" name="${field.name}">
      ${any !== undefined && option({ value: "", label: any })}
      ${choices.map((choice) =>
        "choices" in choice
          ? html`<optgroup label="${choice.label}">${choice.choices.map(option)}</optgroup>`
          : option(choice),
      )}
    </select>
  </div>`;
}

/** `below`: what stands under the field. */
export function textField(
  field: Field & { readonly attributes: SafeHtml; readonly below?: SafeHtml },
): SafeHtml {
  const id = idOf(field);
  return html`<div>
    <label for="${id}">${field.label}</label>
    <input id="${id}" name="${field.name}" value="${field.value}" ${field.attributes}>
    ${field.below}
  </div>`;
}

function idOf({ view, name }: Field): string {
  return `${view}-${name.replaceAll("_", "-")}`;
}

/** The choices of a closed list, with a word for each. */
export function choicesOf<Code extends string>(
  codes: readonly Code[],
  words: Readonly<Record<Code, string>>,
): Choice[] {
  return codes.map((code) => ({ value: code, label: words[code] }));
}

export function cityChoices({ snapshot }: ReadContext): Choice[] {
  return snapshot
    .cities()
    .map(({ slug, name, region }) => ({ value: slug, label: [name, region].filter(Boolean).join(", ") }))
    .sort((a, b) => a.label.localeCompare(b.label, "en"));
}

/** Throws PublicError 404 for a city that no page is about. */
export function checkCity({ snapshot }: ReadContext, slug: string | undefined): void {
  if (slug !== undefined && snapshot.city(slug) === undefined)
    throw new PublicError(404, "no city of that name is published; choose one of the list");
}

/** The sections, and what was asked for if it lies below them. */
export function industryChoices(asked: string | undefined): (Choice | ChoiceGroup)[] {
  const sections = INDUSTRIES.filter(({ level }) => level === "section").map(industryChoice);
  const industry = asked === undefined ? undefined : findIndustry(asked);
  if (industry === undefined || industry.level === "section") return sections;
  return [industryChoice(industry), ...sections];
}

function industryChoice({ code, title }: { code: string; title: string }): Choice {
  return { value: code, label: `${code} · ${title}` };
}

import { shownFault } from "../../kernel/text/shown-fault.ts";

/** Returns a form's values by name, without empty ones; `lists` take several values. */
export function formFields(form: HTMLFormElement, lists: readonly string[] = []) {
  const data = new FormData(form);
  const entries = [...new Set(data.keys())].flatMap((name): [string, unknown][] => {
    const values = data.getAll(name).filter((value) => value !== "");
    if (values.length === 0) return [];
    return [[name, lists.includes(name) ? values : values[0]]];
  });
  return Object.fromEntries(entries);
}

/** Why a form was refused, with the form's label in place of the first wrong field's name. */
export function refusalText(form: HTMLFormElement, { error, fields }: Refusal): string {
  const [[name, fault] = []] = Object.entries(fields);
  const label = name === undefined ? "" : labelOf(form, name);
  return label === "" ? error : shownFault(label, String(fault));
}

type Refusal = { readonly error: string; readonly fields: object };

/** The first text of a field's label or legend, without the explanation after it. */
function labelOf(form: HTMLFormElement, name: string): string {
  const field = form.querySelector(`[name="${CSS.escape(name)}"]`);
  const legend = field?.closest("fieldset")?.querySelector("legend");
  const label = field?.id ? form.querySelector(`label[for="${CSS.escape(field.id)}"]`) : null;
  return (legend ?? label)?.firstChild?.textContent?.trim() ?? "";
}

/** Marks invalid fields by name and focuses the first. */
export function markFaults(form: HTMLFormElement, faults: object): void {
  for (const field of form.querySelectorAll("[name]"))
    field.setAttribute("aria-invalid", String((field.getAttribute("name") ?? "") in faults));
  const [first] = Object.keys(faults);
  const field = first === undefined ? null : form.querySelector(`[name="${CSS.escape(first)}"]`);
  if (field instanceof HTMLElement) field.focus();
}

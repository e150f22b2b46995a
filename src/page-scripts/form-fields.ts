import type { Json } from "./json.ts";

/** What a form is filled with, by name; `lists` take several values. What is left empty is not given. */
export function givenFields(form: HTMLFormElement, lists: readonly string[] = []): Json {
  const data = new FormData(form);
  const given = [...new Set(data.keys())].flatMap((name): [string, unknown][] => {
    const values = data.getAll(name).filter((value) => value !== "");
    if (values.length === 0) return [];
    return [[name, lists.includes(name) ? values : values[0]]];
  });
  return Object.fromEntries(given);
}

/** Marks the fields that the service found wrong, by name, and goes to the first of them. */
export function markFaults(form: HTMLFormElement, faults: Json): void {
  for (const field of form.querySelectorAll("[name]"))
    field.setAttribute("aria-invalid", String((field.getAttribute("name") ?? "") in faults));
  const [first] = Object.keys(faults);
  const field = first === undefined ? null : form.querySelector(`[name="${CSS.escape(first)}"]`);
  if (field instanceof HTMLElement) field.focus();
}

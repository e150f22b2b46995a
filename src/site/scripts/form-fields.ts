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

/** Marks invalid fields by name and focuses the first. */
export function markFaults(form: HTMLFormElement, faults: object): void {
  for (const field of form.querySelectorAll("[name]"))
    field.setAttribute("aria-invalid", String((field.getAttribute("name") ?? "") in faults));
  const [first] = Object.keys(faults);
  const field = first === undefined ? null : form.querySelector(`[name="${CSS.escape(first)}"]`);
  if (field instanceof HTMLElement) field.focus();
}

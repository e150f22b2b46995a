const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** The text as it stands in HTML: as the content of an element, or within the quotes of an attribute. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? "");
}

/** The same for XML, where an attribute stands in double quotes. */
export function escapeXml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => ENTITIES[character] ?? "");
}

/** Path templates such as `/api/v1/city/{city}/index`: each {name} stands for one segment, or for a part of one. */

/** The names in a template, as a union of string literals. */
export type PathNames<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PathNames<Rest>
  : never;

const NAME = /\{(\w+)\}/g;

export function pathNames(template: string): string[] {
  return [...template.matchAll(NAME)].map(([, name = ""]) => name);
}

/** The template with its names replaced by values, percent-encoded. */
export function fillPath(template: string, values: Readonly<Record<string, string>>): string {
  return template.replace(NAME, (_, name: string) => encodeURIComponent(values[name] ?? ""));
}

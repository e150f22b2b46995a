/** Helpers for form scripts. Response texts are inserted as text, never as markup. */

export function only<T extends Element>(within: ParentNode, selector: string, type: new () => T): T {
  const element = within.querySelector(selector);
  if (!(element instanceof type)) throw new Error(`the page has no ${selector}`);
  return element;
}

export function make(tag: string, ...content: readonly (string | Node)[]): HTMLElement {
  const element = document.createElement(tag);
  element.append(...content);
  return element;
}

/** A message of the API as a sentence. */
export function sentence(message: string): string {
  return `${message.charAt(0).toUpperCase()}${message.slice(1)}.`;
}

export function facts(...pairs: readonly (readonly [term: string, value: string])[]): HTMLElement {
  const list = make("dl", ...pairs.map(([term, value]) => make("div", make("dt", term), make("dd", value))));
  list.className = "facts";
  return list;
}

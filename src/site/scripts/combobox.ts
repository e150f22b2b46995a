import { make } from "./dom.ts";

/** One list item: its content and its link. */
export interface Option {
  readonly content: readonly (string | Node)[];
  readonly href: string;
}

const STEPS: ReadonlyMap<string, 1 | -1> = new Map([
  ["ArrowDown", 1],
  ["ArrowUp", -1],
]);
const CLOSING: ReadonlySet<string> = new Set(["Escape", "Tab"]);
const IN_THE_TEXT: ReadonlySet<string> = new Set(["Home", "End", "ArrowLeft", "ArrowRight"]);

/**
 * The list below a field: an editable combobox with manual selection (ARIA Authoring Practices 1.2). Owns the items, the open
 * state and the active option; the focus stays in the field.
 */
export class Combobox {
  readonly #input: HTMLInputElement;
  readonly #list = make("ul");
  readonly #status = make("p");
  #elements: readonly HTMLElement[] = [];
  #hrefs: readonly string[] = [];
  #active = -1;

  /** `ask`: called to open the list when an arrow key is pressed. */
  constructor(input: HTMLInputElement, form: HTMLFormElement, ask: () => void) {
    this.#input = input;
    this.#list.id = `${input.id}-list`;
    this.#list.className = "suggestions";
    this.#list.hidden = true;
    set(this.#list, { role: "listbox", "aria-label": "Records" });
    this.#status.className = "visually-hidden";
    set(this.#status, { role: "status" });
    set(input, {
      role: "combobox",
      "aria-autocomplete": "list",
      "aria-expanded": "false",
      "aria-controls": this.#list.id,
    });
    form.append(this.#list, this.#status);
    input.addEventListener("keydown", (event) => {
      if (!event.isComposing && this.#key(event.key, ask)) event.preventDefault();
    });
    input.addEventListener("blur", () => this.close());
    // Keeps the focus in the field; the click still fires.
    this.#list.addEventListener("pointerdown", (event) => event.preventDefault());
    this.#list.addEventListener("mousedown", (event) => event.preventDefault());
    this.#list.addEventListener("click", ({ target }) => {
      this.#go(this.#elements.findIndex((element) => target instanceof Node && element.contains(target)));
    });
  }

  open(options: readonly Option[], said: string): void {
    this.#elements = options.map(({ content }, at) => {
      const element = make("li", ...content);
      element.id = `${this.#list.id}-${at}`;
      set(element, { role: "option", "aria-selected": "false" });
      return element;
    });
    this.#hrefs = options.map(({ href }) => href);
    this.#list.replaceChildren(...this.#elements);
    this.#list.hidden = false;
    this.#input.setAttribute("aria-expanded", "true");
    this.#status.textContent = said;
    this.#activate(-1);
  }

  close(): void {
    this.#list.hidden = true;
    this.#input.setAttribute("aria-expanded", "false");
    this.#status.textContent = "";
    this.#activate(-1);
  }

  /** Handles a key for the list. Returns whether the field must ignore it. */
  #key(key: string, ask: () => void): boolean {
    const isOpen = !this.#list.hidden;
    const step = STEPS.get(key);
    if (step !== undefined) {
      if (isOpen) this.#move(step);
      else ask();
      return true;
    }
    if (key === "Enter") return isOpen && this.#go(this.#active);
    if (CLOSING.has(key)) this.close();
    if (IN_THE_TEXT.has(key)) this.#activate(-1);
    return key === "Escape" && isOpen; // a second press clears the field
  }

  #move(step: 1 | -1): void {
    const { length } = this.#elements;
    const from = this.#active < 0 && step < 0 ? 0 : this.#active;
    this.#activate((from + step + length) % length);
  }

  #activate(at: number): void {
    this.#active = at;
    for (const [each, element] of this.#elements.entries())
      element.setAttribute("aria-selected", String(each === at));
    const active = this.#elements[at];
    if (active === undefined) this.#input.removeAttribute("aria-activedescendant");
    else {
      this.#input.setAttribute("aria-activedescendant", active.id);
      active.scrollIntoView({ block: "nearest" });
    }
  }

  #go(at: number): boolean {
    const href = this.#hrefs[at];
    if (href !== undefined) location.assign(href);
    return href !== undefined;
  }
}

function set(element: HTMLElement, attributes: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
}

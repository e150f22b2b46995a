/** The page /verify/: reads the form and the address, and writes what the check reports. All else is in the other modules. */

import type { JsonObject } from "../tlog/leaf.ts";
import { checkRow, type Report } from "./check-row.ts";
import {
  type Fact,
  type Question,
  readQuestion,
  type State,
  type Verdict,
  verdictOf,
  verifyAddress,
} from "./outcome.ts";
import { SiteReader, shown } from "./site-reader.ts";

const WORDS: Readonly<Record<State | "waiting" | "checking", string>> = {
  waiting: "waiting",
  checking: "checking …",
  passed: "✓ passed",
  failed: "✗ failed",
  "could not check": "? could not check",
  "not checked": "– not checked",
  withdrawn: "– withdrawn",
};
const HEADLINES: Readonly<Record<Verdict["state"], string>> = {
  passed: "✓ Passed",
  "passed in part": "Passed in part",
  withdrawn: "Withdrawn",
  failed: "✗ Failed",
  "could not check": "Could not check",
};
const LONG = 500; // characters
const ROW_FIELDS = ["asset", "record", "target", "into"]; // in a row's body these name other rows

const form = only(document, "#ask", HTMLFormElement);
const rowField = only(form, "#row", HTMLInputElement);
const recordField = only(form, "#record", HTMLInputElement);
const keyField = only(form, "#key", HTMLInputElement);
const verdict = only(document, "#verdict", HTMLElement);
const steps = [...document.querySelectorAll("[data-step]")];
const rowText = only(document, "#row-text", HTMLElement);
let runs = 0;

function only<T extends Element>(within: ParentNode, selector: string, type: new () => T): T {
  const element = within.querySelector(selector);
  if (!(element instanceof type)) throw new Error(`the page has no ${selector}`);
  return element;
}

function make(tag: string, ...content: readonly (string | Node)[]): HTMLElement {
  const element = document.createElement(tag);
  element.append(...content);
  return element;
}

function link(address: string, text = address): HTMLElement {
  const anchor = document.createElement("a");
  anchor.href = address;
  anchor.append(text);
  return anchor;
}

/** Checks what is asked; a later question makes this one fall silent. */
async function check(question: Question): Promise<void> {
  runs += 1;
  const run = runs;
  reset(`Checking row ${question.row} …`);
  const reader = new SiteReader((address, options) => fetch(address, options));
  const reports: Report[] = [];
  for await (const report of checkRow(question, { reader, subtle: crypto.subtle })) {
    if (run !== runs) return;
    reports.push(report);
    showReport(report);
  }
  showVerdict(verdictOf(question, reports));
}

function reset(says: string): void {
  for (const step of steps) {
    showState(step, "waiting", "");
    only(step, "details", HTMLDetailsElement).open = false;
    only(step, "details > div", HTMLElement).replaceChildren();
  }
  const [first] = steps;
  if (first !== undefined) showState(first, "checking", "");
  rowText.replaceChildren(make("p", "Shown once its disclosure has passed."));
  verdict.setAttribute("data-state", "checking");
  verdict.replaceChildren(says);
}

function showVerdict({ state, says }: Verdict): void {
  verdict.setAttribute("data-state", state);
  verdict.replaceChildren(make("strong", HEADLINES[state]), make("span", says));
}

function showState(step: Element, state: keyof typeof WORDS, says: string): void {
  step.setAttribute("data-state", state);
  only(step, ".state", HTMLElement).replaceChildren(WORDS[state]);
  only(step, ".says", HTMLElement).replaceChildren(says);
}

function showReport({ step: name, state, says, facts, files, body }: Report): void {
  const at = steps.findIndex((step) => step.getAttribute("data-step") === name);
  const [step, next] = steps.slice(at);
  if (step === undefined) return;
  showState(step, state, says);
  if (next !== undefined) showState(next, "checking", "");
  const details = only(step, "details", HTMLDetailsElement);
  details.open = state === "failed";
  only(details, "div", HTMLElement).replaceChildren(...valuesOf(facts), ...filesOf(files));
  if (body !== undefined) rowText.replaceChildren(make("dl", ...bodyList(body)));
}

function valuesOf(facts: readonly Fact[]): HTMLElement[] {
  if (facts.length === 0) return [make("p", "No values were compared.")];
  return [make("dl", ...facts.map(({ name, value }) => pair(name, code(name, value))))];
}

/** A value that may be long; a very long one scrolls by itself, and from the keyboard too. */
function code(name: string, value: string): HTMLElement {
  const element = make("code", value);
  if (value.length > LONG) {
    element.className = "long";
    element.tabIndex = 0;
    element.role = "region";
    element.ariaLabel = name;
  }
  return element;
}

function filesOf(files: readonly string[]): HTMLElement[] {
  if (files.length === 0) return [];
  const links = files.map((address) => make("li", link(address)));
  return [make("p", files.length === 1 ? "File read:" : "Files read:"), make("ul", ...links)];
}

function bodyList(body: JsonObject): HTMLElement[] {
  return Object.entries(body).map(([name, value]) => {
    const isRow = ROW_FIELDS.includes(name) && typeof value === "number";
    return pair(
      make("code", name),
      isRow ? link(verifyAddress(value, ""), `row ${value}`) : code(name, shown(value)),
    );
  });
}

function pair(name: string | Node, value: Node): HTMLElement {
  return make("div", make("dt", name), make("dd", value));
}

/** Checks the question in the form; false when it is not valid. */
function ask(): boolean {
  const question = readQuestion(rowField.value, recordField.value, keyField.value);
  if (typeof question === "string") {
    runs += 1;
    reset("");
    showVerdict({ state: "could not check", says: question });
    rowField.focus();
    return false;
  }
  void check(question);
  return true;
}

function askAddress(): void {
  const params = new URLSearchParams(location.search);
  rowField.value = params.get("row") ?? "";
  recordField.value = params.get("record") ?? "";
  if (rowField.value !== "") ask();
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  if (ask()) history.pushState(null, "", verifyAddress(rowField.value.trim(), recordField.value.trim()));
});
addEventListener("popstate", askAddress);
askAddress();

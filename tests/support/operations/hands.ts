import type { Locator } from "playwright-core";
import { expect } from "vitest";
import { z } from "zod";

/** Ways of using a page. A flow that is written once is gone through with each of them. */
export interface Hand {
  /** Follows a link, or presses a button. */
  press(target: Locator): Promise<void>;
  write(field: Locator, text: string): Promise<void>;
  /** Chooses from a list, by the value of the choice. */
  choose(list: Locator, value: string): Promise<void>;
  /** Takes the first suggestion below a field, once the suggestions are those for the whole text. */
  takeFirst(suggestions: Locator, text: string): Promise<void>;
}

export const mouse: Hand = {
  press: (target) => target.click(),
  async write(field, text) {
    await field.click();
    await field.pressSequentially(text);
  },
  async choose(list, value) {
    await list.selectOption(value);
  },
  async takeFirst(suggestions, text) {
    await suggestionsFor(suggestions, text);
    await suggestions.first().click();
  },
};

/** Nothing but keys. Every stop on the way must be seen, and come in the order of the page. */
export const keyboard: Hand = {
  async press(target) {
    await reach(target);
    await target.page().keyboard.press("Enter");
  },
  async write(field, text) {
    await reach(field);
    await field.page().keyboard.type(text);
  },
  async choose(list, value) {
    await reach(list);
    const choices = await list.locator("option").count();
    for (let at = 0; at < choices && (await list.inputValue()) !== value; at += 1)
      await list.page().keyboard.press("ArrowDown");
    expect(await list.inputValue()).toBe(value);
  },
  async takeFirst(suggestions, text) {
    const { keyboard } = suggestions.page();
    await suggestionsFor(suggestions, text);
    await keyboard.press("ArrowDown");
    expect(await suggestions.first().getAttribute("aria-selected")).toBe("true");
    await keyboard.press("Enter");
  },
};

/** Waits past the suggestions for a part of the text: a slow machine shows those while the text is still being typed. */
const suggestionsFor = (suggestions: Locator, text: string) =>
  suggestions.filter({ hasText: `All results for “${text}”` }).waitFor();

const MAX_STOPS = 400; // a page has a link in each row of its tables
const Stop = z.object({ name: z.string(), fault: z.string() });

/** Tab after tab until the focus is where it is wanted. */
async function reach(target: Locator): Promise<void> {
  const page = target.page();
  for (let stops = 0; stops < MAX_STOPS; stops += 1) {
    if ((await target.and(page.locator(":focus")).count()) > 0) return;
    await page.keyboard.press("Tab");
    const { name, fault } = Stop.parse(await page.evaluate(STOP));
    expect(fault, name).toBe("");
  }
  throw new Error(`${MAX_STOPS} stops of the Tab key did not lead to ${target}`);
}

/** Where the focus is, and what is wrong with it: it cannot be seen, or it went back. */
const STOP = `(() => {
  const element = document.activeElement;
  const before = window.stopBefore;
  window.stopBefore = element;
  if (element === document.body) return { name: "body", fault: "" };
  const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(element);
  const { left, right, top, bottom } = element.getBoundingClientRect();
  const isMarked = (outlineStyle !== "none" && parseFloat(outlineWidth) >= 2) || boxShadow !== "none";
  const isInView = right > 0 && bottom > 0 && left < innerWidth && top < innerHeight && right > left && bottom > top;
  const wentBack = before?.isConnected && before !== document.body
    && (before.compareDocumentPosition(element) & Node.DOCUMENT_POSITION_PRECEDING) !== 0
    && !before.contains(element) && !element.contains(before);
  const fault = [isMarked ? "" : "not marked", isInView ? "" : "out of view", wentBack ? "went back" : ""].filter(Boolean).join(", ");
  return { name: element.outerHTML.slice(0, 120), fault };
})()`;

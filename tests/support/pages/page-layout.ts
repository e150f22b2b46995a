/** How a page is laid out on windows of every width. */

import type { Page } from "playwright-core";
import { z } from "zod";

const WIDTHS = [320, 360, 390, 500, 768, 1280];
const PHONE = 640; // pixels, up to which rows are cards
const TWO_COLUMNS = 832; // pixels, below which headline numbers stand two by two
const MAX_HEADER = 96; // pixels, the notice of the demonstration included
const HEIGHT = 800;

const Layout = z.object({
  header: z.number(), // pixels
  content: z.number(), // pixels above it
  searches: z.number(),
  columns: z.array(z.number()), // of each group of headline numbers
  hidden: z.array(z.string()), // tables whose right columns are cut off without a shade
  cards: z.array(z.object({ label: z.string(), fits: z.boolean(), unlabelled: z.array(z.string()) })),
  emptyMaps: z.number(),
});

const LAYOUT = `(() => {
  const all = (selector) => [...document.querySelectorAll(selector)];
  const clear = (element) => getComputedStyle(element).backgroundColor === "rgba(0, 0, 0, 0)";
  const fits = (box) => box.scrollWidth <= box.clientWidth;
  const isShaded = (box) => /local.*scroll/.test(getComputedStyle(box).backgroundAttachment) && [...box.querySelectorAll("*")].every((part) => part.matches("a, a *, .tag") || clear(part));
  const headOf = (cell) => cell.closest("table").querySelectorAll("thead th")[cell.cellIndex].textContent.trim();
  const isNamed = (cell) => (cell.dataset.label ? cell.dataset.label === headOf(cell) : cell.querySelector("a, button"));
  return {
    header: document.querySelector(".site-header").getBoundingClientRect().height,
    content: document.querySelector("main").getBoundingClientRect().top,
    searches: all("[role=search], search, input[name=name]").length / 2,
    columns: all("main > .figures, main > .facts").map((group) => new Set([...group.children].map(({ offsetLeft }) => offsetLeft)).size),
    hidden: all(".scroll, pre.code").filter((box) => !fits(box) && !isShaded(box)).map((box) => box.ariaLabel),
    cards: all(".stack").map((box) => ({
      label: box.ariaLabel,
      fits: fits(box),
      unlabelled: [...box.querySelectorAll("td")].filter((cell) => !isNamed(cell)).map(({ innerText }) => innerText),
    })),
    emptyMaps: all("figure[data-map] .drawing").filter((box) => box.getBoundingClientRect().bottom - box.lastElementChild.getBoundingClientRect().bottom > 2).length,
  };
})()`;

/** What is wrong with a layout; nothing is the aim. */
function faultsOf(layout: z.infer<typeof Layout>, width: number): string[] {
  const { header, content, searches, columns, hidden, cards, emptyMaps } = layout;
  const isCard = width <= PHONE;
  return [
    Math.max(header, content) > MAX_HEADER &&
      `the header takes ${header} px, the content begins at ${content} px`,
    searches !== 1 && `${searches} search boxes`,
    width < TWO_COLUMNS && columns.some((count) => count !== 2) && `headline numbers in ${columns} columns`,
    emptyMaps > 0 && "a map ends in empty space",
    ...hidden.map((label) => `${label}: cut off without a shade`),
    ...cards.map(({ label, fits }) => isCard && !fits && `${label}: cards that scroll`),
    ...cards.flatMap(({ label, unlabelled }) =>
      unlabelled.map((text) => `${label}: not the label of its column: ${text}`),
    ),
  ].filter((fault) => fault !== false);
}

/** What is wrong with the layout of a page on any width: its header, search boxes, headline numbers, tables and maps. */
export async function layoutFaults(page: Page): Promise<string[]> {
  const found: string[] = [];
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: HEIGHT });
    const faults = faultsOf(Layout.parse(await page.evaluate(LAYOUT)), width);
    found.push(...faults.map((fault) => `${width} px: ${fault}`));
  }
  return found;
}

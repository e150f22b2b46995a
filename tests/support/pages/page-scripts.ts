/** What tests ask of a page, as scripts for the page itself: the tests are compiled without the DOM's types. */

/** Counts the layout shifts of a page from its first paint; to be run before anything of the page is. */
export const WATCH_SHIFTS = `window.shifted = [];
const place = ({ x, y, width, height }) => [x, y, width, height].map(Math.round).join(" ");
const moved = ({ node, previousRect, currentRect }) =>
  place(previousRect) + " to " + place(currentRect) + ": " + (node?.outerHTML ?? node?.data ?? "").slice(0, 60);
new PerformanceObserver((list) => {
  for (const { value, sources } of list.getEntries()) shifted.push(value.toFixed(4) + " " + sources.map(moved).join(" | "));
}).observe({ type: "layout-shift", buffered: true });`;

/** To the end of the page and back, so that whatever waits for being seen has come. */
export const SCROLL_THROUGH = `(async () => {
  const painted = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 50)));
  scrollTo(0, document.documentElement.scrollHeight);
  await painted();
  scrollTo(0, 0);
  await painted();
})()`;

export const OPEN_DETAILS = `document.querySelectorAll("details").forEach((details) => { details.open = true; })`;

/** What a page says of itself and how it is built. */
export const PAGE_FACTS = `(() => {
  const all = (selector) => [...document.querySelectorAll(selector)];
  const container = (node) => node.closest("table, figure, ul, ol, dl, p, section") ?? node;
  const saysWhose = (node) => /UTC|city.s solar (time|day)/.test(container(node).textContent);
  const isBox = (node) => node.role === "region" && node.ariaLabel && node.tabIndex === 0 && getComputedStyle(node).overflowX === "auto";
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const bareTimes = [];
  while (texts.nextNode()) {
    const { data, parentElement } = texts.currentNode;
    if (/\\b\\d{1,2}:\\d{2}\\b/.test(data) && !parentElement.closest("pre, code, script, bdi, svg") && !saysWhose(parentElement))
      bareTimes.push(data.trim());
  }
  return {
    title: document.title,
    heading: document.querySelector("h1")?.textContent ?? "",
    lang: document.documentElement.lang,
    canonical: document.querySelector("link[rel=canonical]")?.getAttribute("href") ?? null,
    meta: Object.fromEntries(all("meta[name], meta[property]").map((meta) => [meta.name || meta.getAttribute("property"), meta.content])),
    alternates: all("link[rel=alternate]").map((link) => ({ href: link.getAttribute("href"), type: link.type })),
    jsonLd: all("script[type='application/ld+json']").map((script) => script.textContent),
    levels: all("h1, h2, h3, h4, h5, h6").map(({ tagName }) => Number(tagName[1])),
    undated: all("time").filter((time) => !time.dateTime).map((time) => time.outerHTML),
    bareTimes: [...bareTimes, ...all("time").filter((time) => !saysWhose(time)).map((time) => time.outerHTML)],
    text: document.body.innerText,
    bareTables: all("table").filter((table) => !isBox(table.parentElement)).map((table) => table.innerText.slice(0, 60)),
    rows: all("main tbody tr").length,
    words: document.querySelector("main")?.innerText.split(/\\s+/).length ?? 0,
    marked: /Demonstration\\.\\s+The names[^.]+made up/.test(document.body.innerText),
  };
})()`;

/** What does not fit the width: the page itself, what reaches beyond it, and boxes that cut off what they hold. */
export const MISFITS = `(() => {
  const { clientWidth, scrollWidth } = document.documentElement;
  const named = (element) => element.cloneNode(false).outerHTML.slice(0, 120) + " " + element.textContent.trim().slice(0, 30);
  const hides = (value) => value === "hidden" || value === "clip";
  const faults = scrollWidth > clientWidth ? ["the page is " + scrollWidth + " wide"] : [];
  const isInside = (element, test) => element !== null && (test(getComputedStyle(element)) || isInside(element.parentElement, test));
  for (const element of document.body.querySelectorAll("*:not(svg *):not(option)")) {
    const box = element.getBoundingClientRect();
    if (box.width <= 1 || box.height <= 1 || !element.checkVisibility({ visibilityProperty: true })) continue;
    const { overflowX, overflowY } = getComputedStyle(element);
    const { clientWidth: width, clientHeight: height } = element;
    if (width > 1 && ((hides(overflowX) && element.scrollWidth > width + 1) || (hides(overflowY) && element.scrollHeight > height + 1)))
      faults.push("cut: " + named(element));
    if (box.right > clientWidth + 1 && !isInside(element.parentElement, (style) => style.overflowX !== "visible"))
      faults.push("beyond the edge: " + named(element));
  }
  return faults.slice(0, 5);
})()`;

/** Controls that do nothing where no script runs: not those of a form that is sent somewhere. */
export const DEAD_CONTROLS = `[...document.querySelectorAll("button, [role=button], input, select, textarea")]
  .filter((control) => control.checkVisibility({ visibilityProperty: true }))
  .filter(({ form }) => !form || !(form.hasAttribute("action") || form.method === "post"))
  .map((control) => control.outerHTML.slice(0, 120))`;

export const EXPLAINS = `[...document.querySelectorAll("main noscript")].some(({ textContent }) => textContent.trim() !== "")`;

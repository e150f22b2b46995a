/**
 * Filters, sorts and turns the pages of a list without loading its page anew: fetches the address that a browser without this script
 * would go to, and takes the element with the same `data-view` out of the answer. Leaves what it does not understand to the browser.
 */

import { make } from "./dom.ts";

const region = document.querySelector("[data-view]");
if (region instanceof HTMLElement) refine(region);

function refine(region: HTMLElement): void {
  const status = make("p");
  status.className = "visually-hidden";
  status.setAttribute("role", "status");
  region.before(status);
  let current = location.pathname + location.search;
  let asking: AbortController | undefined;

  /** Shows the content of an address; `isNew` adds it to the history. */
  async function show(url: URL, isNew: boolean): Promise<void> {
    asking?.abort();
    asking = new AbortController();
    const { signal } = asking;
    region.setAttribute("aria-busy", "true");
    const fresh = await regionAt(url, region.dataset["view"] ?? "", signal);
    if (signal.aborted) return;
    if (fresh === null) {
      leaveFor(url);
      return;
    }
    if (isNew) history.pushState(null, "", url);
    current = url.pathname + url.search;
    replace(region, fresh);
    status.textContent = region.querySelector("[data-summary]")?.textContent ?? "";
  }

  region.addEventListener("submit", (event) => {
    if (!(event.target instanceof HTMLFormElement)) return;
    event.preventDefault();
    void show(addressOf(event.target), true);
  });
  region.addEventListener("change", ({ target }) => {
    if (target instanceof HTMLSelectElement) target.form?.requestSubmit();
  });
  region.addEventListener("click", (event) => {
    const url = linkOf(event);
    if (url === undefined || url.pathname + url.search === current) return;
    event.preventDefault();
    void show(url, true);
  });
  addEventListener("popstate", () => {
    if (location.pathname + location.search !== current) void show(new URL(location.href), false);
  });
  warnWithoutServer(region);
}

/** Fetches the view's region of a page, regardless of status; null when it is missing or unreachable. */
async function regionAt(url: URL, view: string, signal: AbortSignal): Promise<Element | null> {
  try {
    const answer = await fetch(url, { signal, headers: { Accept: "text/html" } });
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    return page.querySelector(`[data-view="${view}"]`);
  } catch {
    return null;
  }
}

/** Opens an address as a plain link would, also the present one. */
function leaveFor(url: URL): void {
  if (url.href === location.href) location.reload();
  else location.assign(url);
}

/** Returns a form's address without empty values. */
function addressOf(form: HTMLFormElement): URL {
  const url = new URL(form.action);
  for (const [name, value] of new FormData(form))
    if (typeof value === "string" && value.trim() !== "") url.searchParams.append(name, value);
  return url;
}

/** Returns the address of a plain click on a link to the same page. */
function linkOf(event: MouseEvent): URL | undefined {
  const link = event.target instanceof Element ? event.target.closest("a") : null;
  const isPlain = event.button === 0 && !(event.metaKey || event.ctrlKey || event.shiftKey || event.altKey);
  if (link === null || !isPlain || link.hasAttribute("download") || link.target !== "") return undefined;
  const isSamePage = link.origin === location.origin && link.pathname === location.pathname;
  return isSamePage ? new URL(link.href) : undefined;
}

function replace(region: HTMLElement, fresh: Element): void {
  const focused = region.contains(document.activeElement) ? document.activeElement : null;
  region.replaceChildren(...fresh.childNodes);
  region.toggleAttribute("data-asked", fresh.hasAttribute("data-asked"));
  region.removeAttribute("aria-busy");
  warnWithoutServer(region);
  if (focused !== null) focusAgain(region, focused);
}

/** Restores the focus by id, with text typed meanwhile; otherwise focuses the heading. */
function focusAgain(region: HTMLElement, before: Element): void {
  const now = before.id === "" ? null : region.querySelector(`#${CSS.escape(before.id)}`);
  if (now instanceof HTMLInputElement && before instanceof HTMLInputElement) now.value = before.value;
  if (now instanceof HTMLElement) now.focus({ preventScroll: true });
  else region.querySelector<HTMLElement>("[data-heading]")?.focus();
}

/** A static copy answers every address with the same page. */
function warnWithoutServer(region: HTMLElement): void {
  const isNamed = ([name, value]: [string, string]) =>
    value !== "" && region.querySelector(`form [name="${CSS.escape(name)}"]`) !== null;
  if (region.hasAttribute("data-asked") || ![...new URLSearchParams(location.search)].some(isNamed)) return;
  const notice = make("p", "This static copy of the site cannot filter: the list below is unfiltered.");
  notice.className = "notice";
  notice.setAttribute("role", "alert");
  region.prepend(notice);
}

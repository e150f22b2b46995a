/** Buttons that copy an element's text, or the code before them. Disabled until this script runs; hidden by the style sheet without scripts. */

import { only } from "./dom.ts";

for (const place of document.querySelectorAll<HTMLElement>("[data-copy-for]")) {
  const button = only(place, "[data-copy]", HTMLButtonElement);
  const status = only(place, "[role=status]", HTMLElement);
  const source = document.getElementById(button.dataset["copy"] ?? "") ?? place.previousElementSibling;
  button.addEventListener("click", () => {
    if (source !== null) void copy(source, status);
  });
  button.disabled = false;
}

/** Lines are kept in code alone. */
function textOf({ textContent, tagName }: Element): string {
  return tagName === "PRE" ? textContent : textContent.replace(/\s+/g, " ").trim();
}

async function copy(source: Element, status: HTMLElement): Promise<void> {
  try {
    await navigator.clipboard.writeText(textOf(source));
    status.textContent = "Copied.";
  } catch {
    getSelection()?.selectAllChildren(source); // without permission or https, the reader copies the selection
    status.textContent = "Selected. Press Ctrl+C or ⌘C to copy.";
  }
}

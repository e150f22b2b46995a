/** Buttons that copy an element's text. Disabled until this script runs; hidden by the style sheet without scripts. */

import { only } from "./dom.ts";

for (const place of document.querySelectorAll<HTMLElement>("[data-copy-for]")) {
  const button = only(place, "[data-copy]", HTMLButtonElement);
  const status = only(place, "[role=status]", HTMLElement);
  const source = document.getElementById(button.dataset["copy"] ?? "");
  button.addEventListener("click", () => {
    if (source !== null) void copy(source, status);
  });
  button.disabled = false;
}

async function copy(source: HTMLElement, status: HTMLElement): Promise<void> {
  try {
    await navigator.clipboard.writeText((source.textContent ?? "").replace(/\s+/g, " ").trim());
    status.textContent = "Copied.";
  } catch {
    getSelection()?.selectAllChildren(source); // without permission or https, the reader copies the selection
    status.textContent = "Selected. Press Ctrl+C or ⌘C to copy.";
  }
}

/** Opens the map of a city when its button is pressed. The map's library is loaded then, and never before. */

import { only } from "./dom.ts";

for (const figure of document.querySelectorAll<HTMLElement>("figure[data-map]")) {
  const button = only(figure, "[data-open-map]", HTMLButtonElement);
  const status = only(figure, "[role=status]", HTMLElement);
  let isOpening = false; // disabling the button would lose the focus
  button.addEventListener("click", async () => {
    if (isOpening) return;
    isOpening = true;
    status.textContent = "Loading the map…";
    try {
      const { openMap } = await import("./city-map.ts");
      await openMap(figure);
    } catch (error) {
      status.textContent = error instanceof Error ? error.message : String(error);
      isOpening = false;
    }
  });
  button.disabled = false;
}

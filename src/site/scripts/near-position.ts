/**
 * "Use my position" on the search page: asks the browser for the position when the button is pressed, turns it into a map cell
 * here, and searches near that cell. The position is sent to nobody.
 */

import { only } from "./dom.ts";

const OPTIONS: PositionOptions = { maximumAge: 600_000, timeout: 20_000 };

const region = document.querySelector("[data-view=search]");
if (region !== null) {
  region.setAttribute("data-locates", ""); // shows the button
  region.addEventListener("click", ({ target }) => {
    if (target instanceof HTMLButtonElement && target.dataset["position"] !== undefined) void locate(target);
  });
}

let isAsking = false;

async function locate(button: HTMLButtonElement): Promise<void> {
  const { form } = button;
  if (form === null || isAsking) return;
  const status = only(form, "[data-position-status]", HTMLElement);
  status.textContent = "Getting your position…";
  isAsking = true; // disabling the button would lose the focus
  try {
    const { latitude, longitude } = (await position()).coords;
    const { cellAt } = await import("./map-cell.ts");
    const field = only(form, "[name=near]", HTMLInputElement);
    field.value = cellAt(latitude, longitude, Number(button.dataset["resolution"]));
    status.textContent = "";
    form.requestSubmit();
  } catch (error) {
    status.textContent = failureText(error);
  } finally {
    isAsking = false;
  }
}

function position(): Promise<GeolocationPosition> {
  return new Promise((resolve, reject) => {
    navigator.geolocation.getCurrentPosition(resolve, reject, OPTIONS);
  });
}

function failureText(error: unknown): string {
  const isDenied =
    error instanceof GeolocationPositionError && error.code === GeolocationPositionError.PERMISSION_DENIED;
  return isDenied
    ? "Your browser did not share your position. Allow it for this page, then try again."
    : "Your position could not be determined. Try again.";
}

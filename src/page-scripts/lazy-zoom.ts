/** Maps get their buttons when they come into view or are reached by keyboard; a page whose map nobody looks at loads nothing more. */

const arrivals = new IntersectionObserver((entries) => {
  for (const { isIntersecting, target } of entries) if (isIntersecting) enhance(target);
});

function enhance(figure: Element): void {
  arrivals.unobserve(figure);
  if (figure.getAttribute("data-zoom") !== "") return;
  figure.setAttribute("data-zoom", "on");
  void import("./zoom-map.ts").then(({ zoomMap }) => zoomMap(figure));
}

for (const figure of document.querySelectorAll("figure[data-zoom]")) {
  arrivals.observe(figure);
  figure.addEventListener("focusin", () => enhance(figure), { once: true });
}

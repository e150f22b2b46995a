/** Adds zoom buttons to a map when it becomes visible or focused, so other pages load nothing. */

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

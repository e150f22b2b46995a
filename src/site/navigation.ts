/** Links on every page. */

interface Link {
  readonly href: string;
  readonly text: string;
}

export const MAIN_LINKS: readonly Link[] = [
  { href: "/", text: "Cities" },
  { href: "/explorer/", text: "Explorer" },
  { href: "/coverage/", text: "Coverage" },
  { href: "/ledger/", text: "Ledger" },
  { href: "/verify/", text: "Verify" },
  { href: "/methodology/", text: "Methodology" },
  { href: "/alerts/", text: "Alerts" },
  { href: "/developers/", text: "Developers" },
  { href: "/about/", text: "About" },
];

/** Footer: all single pages. */
export const SITE_MAP: readonly { readonly title: string; readonly links: readonly Link[] }[] = [
  {
    title: "Evidence",
    links: [
      { href: "/", text: "Cities" },
      { href: "/search/", text: "Search" },
      { href: "/coverage/", text: "Coverage" },
      { href: "/methodology/", text: "Methodology" },
      { href: "/independence/", text: "Independence" },
    ],
  },
  {
    title: "Verify",
    links: [
      { href: "/verify/", text: "Verify a row" },
      { href: "/cite/", text: "Check a quote" },
      { href: "/ledger/", text: "Ledger" },
      { href: "/ledger/by-hand/", text: "Verify by hand" },
      { href: "/status/", text: "Status" },
    ],
  },
  {
    title: "Use the data",
    links: [
      { href: "/explorer/", text: "Explorer and CSV" },
      { href: "/developers/", text: "Developers" },
      { href: "/developers/api/", text: "API reference" },
      { href: "/agents/", text: "For agents" },
      { href: "/alerts/", text: "Alerts" },
      { href: "/partners/", text: "Partners" },
    ],
  },
  {
    title: "About",
    links: [
      { href: "/about/", text: "About" },
      { href: "/report/", text: "Report a problem" },
      { href: "/machine-activity/", text: "Machine activity" },
      { href: "/licence/", text: "Licence" },
      { href: "/privacy/", text: "Privacy" },
      { href: "/terms/", text: "Terms" },
    ],
  },
];

const BELOW_HOME = /^\/(city|record|search)\//;

/** Returns whether `path` is the link's page or below it. */
export function isCurrent(href: string, path: string | null): boolean {
  if (path === null) return false;
  if (href === "/") return path === "/" || BELOW_HOME.test(path);
  return path.startsWith(href);
}

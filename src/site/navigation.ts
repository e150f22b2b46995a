import { type FeedUrls, pulseUrls, serviceFeedUrls, statusFeedUrls } from "../resources/links.ts";

/** Links on every page. */

interface Link {
  readonly href: string;
  readonly text: string;
}

/** The button “Use my position”, which only the search page has. */
export const NEAR_ME = "/search/#search-position";

export const MAIN_LINKS: readonly Link[] = [
  { href: "/", text: "Cities" },
  { href: NEAR_ME, text: "Near me" },
  { href: "/explorer/", text: "Explorer" },
  { href: "/coverage/", text: "Coverage" },
  { href: "/verify/", text: "Verify" },
  { href: "/alerts/", text: "Alerts" },
  { href: "/owners/", text: "Owners" },
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
      { href: NEAR_ME, text: "Near me" },
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
      { href: "/data/", text: "Data to download" },
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
      { href: "/owners/", text: "Is this your business?" },
      { href: "/report/", text: "Report a problem" },
      { href: "/opt-out/", text: "Remove a record" },
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

/** Machine-readable alternates and feeds of each kind of page, as paths of the site. */

export interface Alternate {
  readonly type: string; // media type; feed readers know feeds by it
  readonly title: string;
  readonly href: string;
}

const HERE = ""; // an absolute URL when it is outside the site

export function homeAlternates(): Alternate[] {
  return [...serviceFeeds(), json("Cities and their coverage", "/api/v1/cities")];
}

export function cityAlternates(slug: string, cityName: string): Alternate[] {
  return [
    ...cityFeeds(slug, cityName),
    json(`${cityName}: ranking`, `/api/v1/city/${slug}/index`),
    json(`${cityName}: changes`, pulseUrls(HERE, slug).json),
    json(`${cityName}: coverage`, `/api/v1/coverage-status/${slug}`),
    cells(slug, cityName),
    { type: "text/csv", title: `${cityName}: aggregates`, href: `/api/v1/explorer.csv?city=${slug}` },
  ];
}

export function cityIndustryAlternates(
  slug: string,
  cityName: string,
  industry: { readonly code: string; readonly title: string },
): Alternate[] {
  const query = `industry=${industry.code}`;
  return [
    ...cityFeeds(slug, cityName),
    json(`${cityName}: ranking, ${industry.title}`, `/api/v1/city/${slug}/index?${query}`),
    {
      type: "text/csv",
      title: `${cityName}: aggregates, ${industry.title}`,
      href: `/api/v1/explorer.csv?city=${slug}&${query}`,
    },
  ];
}

export function cityCellsAlternates(slug: string, cityName: string): Alternate[] {
  return [cells(slug, cityName), json(`${cityName}: coverage`, `/api/v1/coverage-status/${slug}`)];
}

export function cityChangesAlternates(slug: string, cityName: string): Alternate[] {
  return [...cityFeeds(slug, cityName), json(`${cityName}: changes`, pulseUrls(HERE, slug).json)];
}

export function recordAlternates(publicId: string, slug: string, cityName: string): Alternate[] {
  const entity = `/api/v1/entity/${publicId}`;
  return [
    json("Record", entity),
    json("Evidence", `${entity}/evidence`),
    json("Observations", `/api/v1/observations/${publicId}`),
    json("Score", `/api/v1/presence-score/${publicId}`),
    ...cityFeeds(slug, cityName),
  ];
}

export function coverageAlternates(): Alternate[] {
  return [json("Cities and their coverage", "/api/v1/cities"), ...serviceFeeds()];
}

export function ledgerAlternates(): Alternate[] {
  return [
    json("Checkpoints", "/api/v1/ledger-checkpoints"),
    json("Withdrawn rows", "/api/v1/withdrawals"),
    json("Signing keys", "/ledger/keys.json"),
    { type: "text/plain", title: "Newest signed tree head", href: "/ledger/checkpoint" },
  ];
}

export function statusAlternates(): Alternate[] {
  return [json("Status", "/api/v1/status"), ...feeds("Incidents", statusFeedUrls(HERE))];
}

export function independenceAlternates(): Alternate[] {
  return [json("Independence", "/api/v1/independence")];
}

export function machineActivityAlternates(): Alternate[] {
  return [json("Machine activity", "/api/v1/machine-activity")];
}

function serviceFeeds(): Alternate[] {
  return feeds("Changes in all cities", serviceFeedUrls(HERE));
}

function cityFeeds(slug: string, cityName: string): Alternate[] {
  return feeds(`${cityName}: changes`, pulseUrls(HERE, slug));
}

function feeds(title: string, urls: FeedUrls): Alternate[] {
  return [
    { type: "application/rss+xml", title: `${title} (RSS)`, href: urls.rss },
    { type: "application/atom+xml", title: `${title} (Atom)`, href: urls.atom },
    { type: "application/feed+json", title: `${title} (JSON Feed)`, href: urls.json_feed },
  ];
}

function cells(slug: string, cityName: string): Alternate {
  return {
    type: "application/geo+json",
    title: `${cityName}: map cells`,
    href: `/exports/cells/${slug}.geojson`,
  };
}

function json(title: string, href: string): Alternate {
  return { type: "application/json", title, href };
}

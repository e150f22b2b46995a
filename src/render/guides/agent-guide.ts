import { FILES_NOTE, MCP_LIMITS } from "../../contract/limits.ts";
import { VERDICT_TEXT } from "../../contract/mcp/evidence-tools.ts";
import { TOOLS } from "../../contract/mcp/tools.ts";
import {
  CONFIDENCE_NOTE,
  IDENTITY_NOTE,
  LICENSE,
  NO_RESULT,
  POSITIVE_RESULT,
  PRESENCE_KIND_TEXT,
  type SiteNamed,
  serviceName,
  VERIFICATION_NOTE,
} from "../../contract/records/claim-boundary.ts";
import { SURFACES, type Surface, surfaceUrl } from "../../resources/surfaces.ts";

/**
 * Guide for programs and assistants, shared by `/llms.txt` and the page `/agents/`. Text between backticks is code.
 */

export interface GuidePoint {
  readonly term: string;
  readonly text: string;
}

export const GUIDE_SUMMARY =
  "Independently observed, ledger-backed evidence that a brand or asset was physically seen at a documented time and a privacy-safe place. Positive evidence only: a missing record never proves absence, closure or inactivity.";

/** Rules that prevent common misreadings. */
export const READING_RULES: readonly GuidePoint[] = [
  { term: "Found", text: POSITIVE_RESULT },
  {
    term: "How certain",
    text: "`verif_state` of an observation is `provisional` (seen by one observer, not yet corroborated), `corroborated` (another independent observer saw the same asset) or `verified` (in review). The `summary` of a check states it in words: never quote an observation without its state.",
  },
  {
    term: "Independent",
    text: "`counts_as_independent` of an observation says whether it counts for score, ranking and corroboration; `set_aside` says why it does not. An observation that is set aside is still an accepted sighting: quote it as one, never as independent confirmation.",
  },
  {
    term: "Several records",
    text: "A name that matches several records selects none of them: `found` is false, `candidates` lists them, and `citation` counts them and quotes none. Call the tool again with the `public_id` of one instead of the name.",
  },
  {
    term: "Not found",
    text: `${NO_RESULT.meaning} ${NO_RESULT.limitation} First read \`level\` of \`coverage_confidence\` (\`coverage_context\` in MCP results): the coverage confidence. A missing record means something only at \`high\`: ${CONFIDENCE_NOTE.high}`,
  },
  {
    term: "Searched",
    text: "`searched_cities` of a search lists all searched cities, with or without matches; the coverage is that of the least observed one. `coverage_status: not_covered` means that the service does not cover the city or place, so that result proves nothing.",
  },
  {
    term: "Scores",
    text: "`pps`, `cohort_percentile` and ranks compare a record with the ranked records of its own city. Scores of different cities are not comparable. `pps: null` means that the record is not ranked yet, not that its score is zero. `pps_without_any_one_observer` is the lowest score that remains when any single observer is left out: far below `pps`, it says that the score rests on one observer. `ranking_gate` lists the missing requirements.",
  },
  {
    term: "Synthetic records",
    text: "`is_synthetic: true` marks demonstration data with made-up names and observations. `example_only: true` marks a fictional example. Never quote either as real.",
  },
  {
    term: "Times and places",
    text: "An observation has a day (`observed_on`); `observed_at` is the first instant of it, and no time of day is published. Places are H3 map cells, never addresses; the cell of a mobile asset is the size of a city, and `place_precision: city` means that the city is all that is known. Do not state more precision than that.",
  },
  {
    term: "Similar names",
    text: "`similar_names` lists similar recorded names if no name matches. Never answer with one of them as the business: ask the user, or call the tool again with its `public_id`.",
  },
  {
    term: "Cities",
    text: "A record belongs to one city. The same name in another city is another record (`same_name_in` names these cities), and a search in one city says nothing about others.",
  },
  {
    term: "Online presence",
    text: "`online_presence` comes from public web search. It is not physical evidence and never affects a score. `none` does not show that there is no web presence.",
  },
  { term: "Identity", text: IDENTITY_NOTE },
];

export const HOW_TO: readonly GuidePoint[] = [
  {
    term: "Brief and full answers",
    text: "Tools answer briefly. `detail: full` adds the whole `ranking_gate`, `identity_hierarchy` and `coverage_context`, and what events lack.",
  },
  {
    term: "Look up without a city",
    text: "A tool that looks up one name searches all covered cities when `city` is left out, and no others. One record is the match; several, in one city or more, are `candidates` with `city_slug` and `coverage_tier`, and `coverage_context` is that of the least observed of their cities. `city_index` without a city lists the covered cities.",
  },
  {
    term: "Page through a list",
    text: "Searches, a city's index, a record's observations and a city's changes (city_index, get_pulse) come in pages and state the total (`total_count`): pass `next_cursor` as `cursor`, with the same other arguments, until `has_more` is false. All pages come from one frozen snapshot, so totals are exact. A search counts up to 1,000 matches and sets `total_is_lower_bound` beyond that. When the snapshot has expired, the response is 410 or a tool error: start again without a cursor.",
  },
  {
    term: "Look up by website or place",
    text: "`/api/v1/search` takes `website`, a host name or a URL on it, and `near`, an H3 cell at resolution 7. `near` finds records with a fixed asset observed in that cell or one of its six neighbors. Convert positions to cells on your side, so you never send the position.",
  },
  {
    term: "Cite",
    text: "Quote `citation` of check_physical_evidence, or `citations.suggested_citation` of an evidence packet, verbatim and with its URL. It states when, where, what kind and how certain, and claims only what was observed. The URL shows the citation's status today; `/api/v1/citation/{id}` returns the same as JSON.",
  },
  {
    term: "Verify",
    text: `\`proof_url\` of an observation links to its proof in the signed ledger. The page /verify/ checks it in a browser, \`presence verify\` checks a whole release, and \`presence replay\` recomputes every number from the published rows. ${VERIFICATION_NOTE}`,
  },
  { term: "Reuse", text: LICENSE },
];

const { requestsPerMinute, burst, batchMessages, bodyBytes, deadlineMs } = MCP_LIMITS;

export const LIMITS_AND_ERRORS: readonly GuidePoint[] = [
  {
    term: "Files",
    text: `${FILES_NOTE} The bulk exports hold each city's records, assets, observations and changes in one download; send \`If-None-Match\` to check cheaply for changes. Data changes once a day.`,
  },
  {
    term: "Reads with arguments",
    text: "They are limited by client address. With an API key, a partner's quotas come first; once one is used up, the limit of the address applies. A 429 response states the seconds to wait in `Retry-After`.",
  },
  {
    term: "MCP",
    text: `${requestsPerMinute} messages per minute and client address, plus a burst of ${burst}; each message of a batch counts. Maximum: ${batchMessages} messages per batch, ${bodyBytes / 1024} kB per body, ${deadlineMs / 1000} seconds per response. Beyond the limit: HTTP 429 with \`Retry-After\`.`,
  },
  {
    term: "Errors",
    text: "REST errors are a JSON object with `error`: 400 names the invalid parameter, 404 means not found or opted out, 410 means that a cursor has expired. A tool that cannot answer returns a result with `isError` and a sentence on what to pass instead, for example the record that a `public_id` was merged into.",
  },
];

export const VERDICTS: readonly GuidePoint[] = Object.entries(VERDICT_TEXT).map(([term, text]) => ({
  term,
  text,
}));

export interface GuideTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputs: readonly string[];
}

export const GUIDE_TOOLS: readonly GuideTool[] = TOOLS.map(({ name, title, description, input }) => ({
  name,
  title,
  description,
  inputs: Object.keys(input.shape),
}));

/** Surfaces that cannot be linked to: a base URL, an endpoint for POST, templates with a city. */
const NO_FILE: ReadonlySet<string> = new Set(["rest", "mcp"]);

/** Returns whether a link to the surface opens something. */
export function isReadable({ id, path }: Surface): boolean {
  return !NO_FILE.has(id) && !path.includes("{");
}

/** Pages for people that the guide also lists. */
const PAGES: readonly Surface[] = [
  page(
    "methodology",
    "/methodology/",
    "Methodology",
    "All formulas, thresholds and constants behind states, scores, ranks and coverage.",
  ),
  page(
    "independence",
    "/independence/",
    "Independence",
    "Which observations count as independent evidence: sources, checks, and how often the checks are wrong. As JSON: `/api/v1/independence`.",
  ),
  page("verify", "/verify/", "Verify a ledger row", "Checks a row against the signed tree in your browser."),
  page(
    "cite",
    "/cite/",
    "Check a quote",
    "Shows a citation as published, the evidence behind it, and its status: current, superseded, disputed or withdrawn.",
  ),
  page("ledger", "/ledger/", "Ledger", "Signed tree heads, keys and timestamps, and how to check them."),
  page(
    "coverage",
    "/coverage/",
    "Coverage",
    "Coverage and coverage confidence of each city, and its missing requirements.",
  ),
  page("developers", "/developers/", "For developers", "Quick start, API reference, webhooks and changelog."),
  page("status", "/status/", "Status", "Status of the ledger and of the release."),
  page(
    "about",
    "/about/",
    "About",
    "Who observes, how a row enters the ledger, and how to have a record removed.",
  ),
  page("report", "/report/", "Report a problem", "Reports a problem, without an account."),
  page("licence", "/licence/", "Licence", "Licenses, and how to attribute the source."),
  page("terms", "/terms/", "Terms", "Rules for quoting and using records and evidence."),
  page("privacy", "/privacy/", "Privacy", "What the service stores about whom, and for how long."),
];

function page(id: string, path: string, title: string, purpose: string): Surface {
  return { id, path, mediaType: "text/html", title, purpose };
}

const LISTED = [...PAGES, ...SURFACES];

export interface SurfaceGroup {
  readonly title: string;
  readonly surfaces: readonly Surface[];
}

const GROUPS: readonly { readonly title: string; readonly ids: readonly string[] }[] = [
  { title: "For assistants", ids: ["agents", "mcp", "mcp_contract", "server_card", "ai_catalog", "llms"] },
  {
    title: "Data",
    ids: [
      "developers",
      "rest",
      "openapi",
      "examples",
      "data",
      "exports_index",
      "explorer_csv",
      "cells_geojson",
      "datapackage",
    ],
  },
  {
    title: "Feeds",
    ids: [
      "service_rss",
      "service_atom",
      "service_json_feed",
      "rss",
      "atom",
      "json_feed",
      "status_rss",
      "status_atom",
      "status_json_feed",
    ],
  },
  {
    title: "Verification",
    ids: ["verify", "cite", "methodology", "independence", "coverage", "ledger", "tree_head", "manifest"],
  },
];

/** All surfaces and these pages, each once; ungrouped ones come last. */
export const SURFACE_GROUPS: readonly SurfaceGroup[] = [
  ...GROUPS.map(({ title, ids }) => ({
    title,
    surfaces: LISTED.filter(({ id }) => ids.includes(id)),
  })),
  { title: "Optional", surfaces: LISTED.filter(({ id }) => !GROUPS.some(({ ids }) => ids.includes(id))) },
];

/** `/llms.txt` (llmstxt.org): title, summary, reading rules, then lists of links. `baseUrl` has no trailing slash. */
export function llmsTxt({ baseUrl, siteName }: { readonly baseUrl: string } & SiteNamed): string {
  const kinds = Object.entries(PRESENCE_KIND_TEXT).map(([term, text]) => ({ term: `\`${term}\``, text }));
  const tools = GUIDE_TOOLS.map(({ name, description }) => ({ term: name, text: description }));
  const blocks = [
    `# ${serviceName({ siteName })}`,
    `> ${GUIDE_SUMMARY}`,
    "How to read it:",
    bullets([...READING_RULES, ...kinds]),
    "How to work with it:",
    bullets([...HOW_TO, ...LIMITS_AND_ERRORS]),
    "Tools of the MCP server:",
    bullets(tools),
    ...SURFACE_GROUPS.map((group) => linkSection(baseUrl, group)),
  ];
  return `${blocks.join("\n\n")}\n`;
}

function bullets(points: readonly GuidePoint[]): string {
  return points.map(({ term, text }) => `- ${term}: ${text}`).join("\n");
}

function linkSection(baseUrl: string, { title, surfaces }: SurfaceGroup): string {
  return `## ${title}\n\n${surfaces.map((surface) => link(baseUrl, surface)).join("\n")}`;
}

function link(baseUrl: string, surface: Surface): string {
  return `- [${surface.title}](${surfaceUrl(baseUrl, surface)}): ${surface.purpose}`;
}

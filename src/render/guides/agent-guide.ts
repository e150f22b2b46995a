import { MCP_LIMITS } from "../../contract/limits.ts";
import { TOOLS } from "../../contract/mcp/tools.ts";
import { VERDICT_TEXT } from "../../contract/mcp/verdicts.ts";
import {
  CONFIDENCE_NOTE,
  IDENTITY_NOTE,
  LICENSE,
  NO_RESULT,
  POSITIVE_RESULT,
  VERIFICATION_NOTE,
} from "../../contract/records/claim-boundary.ts";
import { SURFACES, type Surface } from "../../resources/surfaces.ts";

/**
 * How programs and assistants are to read the service: `/llms.txt` and the page `/agents/` say the same. Text between backticks
 * is code.
 */

export interface GuidePoint {
  readonly term: string;
  readonly text: string;
}

export const GUIDE_SUMMARY =
  "Independently observed, ledger-backed evidence that a brand or asset was physically seen at a documented time and a privacy-safe place. Positive evidence only: a record that is not found never proves absence, closure or inactivity.";

/** The mistakes that this data invites. */
export const READING_RULES: readonly GuidePoint[] = [
  { term: "Found", text: POSITIVE_RESULT },
  {
    term: "How certain",
    text: "`verif_state` of an observation is `provisional` (seen by one observer, not yet corroborated), `corroborated` (another observer saw the same asset) or `verified` (in review). The `summary` of a check says the state in words: never quote an observation without it.",
  },
  {
    term: "Several records",
    text: "A name that fits several records leads to none of them: `candidates` lists them, and `citation` counts them and quotes none. Ask again with the `public_id` of one in place of the name, and with its city.",
  },
  {
    term: "Not found",
    text: `${NO_RESULT.meaning} ${NO_RESULT.limitation} Read the level of \`coverage_confidence\` (\`coverage_context\` in MCP answers) first. Only at \`high\` does a missing record say anything: ${CONFIDENCE_NOTE.high}`,
  },
  {
    term: "Searched",
    text: "`searched_cities` of a search names the cities that were searched, whether or not something was found there; the coverage is that of the sparsest. `coverage_status: not_covered` means that the service does not cover the city or the place at all: nothing follows from that answer.",
  },
  {
    term: "Scores",
    text: "`pps`, `cohort_percentile` and ranks compare a record with the ranked records of its own city; scores of two cities cannot be compared. `pps: null` means that the record is not ranked yet: it is not zero. `ranking_gate` says what is missing.",
  },
  {
    term: "Synthetic records",
    text: "`is_synthetic: true` marks demonstration data: name and sightings are made up. `example_only: true` marks a fictional example. Never quote either as real.",
  },
  {
    term: "Times and places",
    text: "Times are cut to the hour, for moving assets to the day; places are H3 map cells, never addresses. Do not make them finer than they are.",
  },
  {
    term: "Cities",
    text: "A record belongs to one city. The same name in another city is another record, and a search in one city says nothing about others.",
  },
  {
    term: "Online presence",
    text: "`online_presence` comes from public web search and stands apart: it shows nothing physical and changes no score. `none` does not show that there is no web presence.",
  },
  { term: "Identity", text: IDENTITY_NOTE },
];

export const HOW_TO: readonly GuidePoint[] = [
  {
    term: "Page through a list",
    text: "A search, a city's index, the observations of a record and the changes of a city (city_index, get_pulse) say how many rows there are (`total_count`) and come page by page: pass `next_cursor` as `cursor`, with the same other arguments, until `has_more` is false. All pages come from one frozen snapshot, so totals are exact; a search counts up to 1,000 matches and says when there are more (`total_is_lower_bound`). When the snapshot is gone, the answer is 410, or an error of the tool: start again without a cursor.",
  },
  {
    term: "Look up by website or place",
    text: "`/api/v1/search` takes `website`, a host or an address on it, and `near`, an H3 cell of resolution 7: it finds records of which a fixed asset was observed in that cell or in one of the six around it. Turn a position into a cell yourself, so that you do not send it.",
  },
  {
    term: "Cite",
    text: "Quote `citation` of check_physical_evidence, or `citations.suggested_citation` of an evidence packet, as it stands and with its address: it says when, where, of what kind and how certain, and claims no more than was observed. The address shows what holds today; `/api/v1/citation/{id}` is the same as JSON.",
  },
  {
    term: "Verify",
    text: `\`proof_url\` of an observation leads to its proof in the signed ledger; the page /verify/ checks it in a browser, \`presence verify\` checks a whole release, and \`presence replay\` makes every number again from the published rows. ${VERIFICATION_NOTE}`,
  },
  { term: "Reuse", text: LICENSE },
];

const { requestsPerMinute, burst, batchMessages, bodyBytes, deadlineMs } = MCP_LIMITS;

export const LIMITS_AND_ERRORS: readonly GuidePoint[] = [
  {
    term: "Files",
    text: "Every address without arguments is a file. Files are not limited: for many records take them, or the bulk exports, and send `If-None-Match` to learn cheaply that nothing is new. Data changes once a day.",
  },
  {
    term: "Reads with arguments",
    text: "They are limited by client address, or by the quotas of a partner whose API key is sent. A 429 names the seconds to wait in `Retry-After`.",
  },
  {
    term: "MCP",
    text: `${requestsPerMinute} messages a minute and client address, and ${burst} more in a burst; each message of a batch counts. A batch holds ${batchMessages} messages at most, a body ${bodyBytes / 1024} kB, and an answer takes ${deadlineMs / 1000} seconds at most. Too many: HTTP 429 with \`Retry-After\`.`,
  },
  {
    term: "Errors",
    text: "REST errors are a JSON object with `error`: 400 names the wrong parameter, 404 means that there is no such thing or that it opted out, 410 that a cursor has expired. A tool that cannot answer returns a result with `isError` and a sentence on what to pass in its place, for example the record that a merged `public_id` now belongs to.",
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

/** Surfaces that are no file to be linked to: a base address, an endpoint for POST, an address of each city. */
const NO_FILE: ReadonlySet<string> = new Set(["rest", "mcp"]);

/** Whether a reader who follows a link to it gets something. */
export function isReadable({ id, path }: Surface): boolean {
  return !NO_FILE.has(id) && !path.includes("{");
}

/** Pages for people that programs are led to as well. */
const PAGES: readonly Surface[] = [
  page(
    "methodology",
    "/methodology/",
    "Methodology",
    "Every formula, threshold and constant behind states, scores, ranks and coverage.",
  ),
  page(
    "verify",
    "/verify/",
    "Verify a ledger row",
    "Checks a row against the signed tree in the reader's own browser.",
  ),
  page(
    "cite",
    "/cite/",
    "Check a quote",
    "Shows a citation as it was published, on what it rests, and whether it is current, superseded, disputed or withdrawn.",
  ),
  page("ledger", "/ledger/", "Ledger", "Signed tree heads, keys, time stamps, and how to check them."),
  page("coverage", "/coverage/", "Coverage", "How densely each city is observed, and what it lacks."),
  page(
    "developers",
    "/developers/",
    "For developers",
    "Quick start, reference of the API, webhooks and changelog.",
  ),
  page("status", "/status/", "Status", "State of the ledger and of the release."),
  page("about", "/about/", "About", "Who observes, how a row gets in, and how to have a record taken out."),
  page("report", "/report/", "Report a problem", "How to say that something is wrong, without an account."),
  page(
    "licence",
    "/licence/",
    "Licence",
    "What may be reused under which licence, and how to name the source.",
  ),
  page("terms", "/terms/", "Terms", "How records and evidence may be quoted and used."),
  page("privacy", "/privacy/", "Privacy", "What is stored of whom, and for how long."),
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
    ids: ["developers", "rest", "openapi", "examples", "explorer_csv", "cells_geojson", "datapackage"],
  },
  { title: "Feeds", ids: ["service_rss", "service_json_feed", "rss", "json_feed"] },
  {
    title: "Verification",
    ids: ["verify", "cite", "methodology", "coverage", "ledger", "tree_head", "manifest"],
  },
];

/** Every surface and these pages once; what no group names comes last. */
export const SURFACE_GROUPS: readonly SurfaceGroup[] = [
  ...GROUPS.map(({ title, ids }) => ({
    title,
    surfaces: LISTED.filter(({ id }) => ids.includes(id)),
  })),
  { title: "Optional", surfaces: LISTED.filter(({ id }) => !GROUPS.some(({ ids }) => ids.includes(id))) },
];

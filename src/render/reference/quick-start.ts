import { EXAMPLE_CITY } from "../../contract/mcp/evidence-tools.ts";
import { cityIndexTool, mcpServerFacts, type PROTOCOL_VERSIONS } from "../../contract/mcp/tools.ts";
import { mcpUrl } from "../../resources/links.ts";

/** Copyable examples: client configurations and manual calls of the MCP server. */

export interface ConnectExample {
  readonly label: string;
  readonly text: string;
}

/** Arguments of the tool that the last example calls. */
export function exampleArguments(city: string) {
  return { city, limit: 3 };
}

// The newest version that starts with `initialize`, which all clients and plain `curl` support.
const HANDSHAKE_VERSION: (typeof PROTOCOL_VERSIONS)[number] = "2025-11-25";

/** Returns the examples. `city` is the slug of a covered city, so the call works unchanged; `baseUrl` has no trailing slash. */
export function connectExamples(baseUrl: string, city: string = EXAMPLE_CITY): readonly ConnectExample[] {
  const url = mcpUrl(baseUrl);
  const [, name = ""] = mcpServerFacts(baseUrl, { siteName: null }).name.split("/");
  const server = { [name]: { type: "http", url } };
  return [
    { label: "Clients that read mcpServers", text: JSON.stringify({ mcpServers: server }, null, 2) },
    { label: "Clients that read servers", text: JSON.stringify({ servers: server }, null, 2) },
    {
      label: "initialize, by hand",
      text: curl(url, "initialize", {
        protocolVersion: HANDSHAKE_VERSION,
        capabilities: {},
        clientInfo: { name: "curl", version: "1" },
      }),
    },
    {
      label: "tools/call, by hand",
      text: curl(url, "tools/call", { name: cityIndexTool.name, arguments: exampleArguments(city) }),
    },
  ];
}

// No value contains an apostrophe: only our own names and slugs.
function curl(url: string, method: string, params: object): string {
  return [
    `curl -s ${url}`,
    "-H 'Content-Type: application/json'",
    "-H 'Accept: application/json, text/event-stream'",
    `-d '${JSON.stringify({ jsonrpc: "2.0", id: 1, method, params })}'`,
  ].join(" \\\n  ");
}

/** Sections of docs/quick-start.md for the page `/developers/`, with a release's address and names in the programs. */

export interface QuickStartStep {
  readonly id: string;
  readonly title: string;
  readonly text: string; // text between backticks is code
  readonly programs: readonly Program[];
}

export interface Program {
  readonly language: string; // display name
  readonly code: string;
}

/** Values that readers set at the top of a program. */
export interface QuickStartValues {
  readonly site: string; // no trailing slash
  readonly city: string; // slug
  readonly name: string; // of a record
}

// Values in the file; its programs run unchanged against the demonstration.
export const WRITTEN: QuickStartValues = {
  site: "http://127.0.0.1:4321",
  city: "guelph",
  name: "Old Larkspur Roofing",
};

const LANGUAGES: Readonly<Record<string, string>> = { sh: "curl", js: "JavaScript", python: "Python" };
const FENCE = /^```(\w+)\n([\s\S]*?)^```\n?/gm;

/** Throws for a program in an unknown language. */
export function quickStart(markdown: string, values: QuickStartValues): readonly QuickStartStep[] {
  const [, ...sections] = markdown.split(/^## /m);
  return sections.map((section) => {
    const [title = "", ...rest] = section.split("\n");
    const body = rest.join("\n");
    return {
      id: title.toLowerCase().replace(/[^a-z]+/g, "-"),
      title,
      text: body.replace(FENCE, "").replace(/\s+/g, " ").trim(),
      programs: [...body.matchAll(FENCE)].map(([, language = "", code = ""]) => ({
        language: languageName(language),
        code: filled(code, values),
      })),
    };
  });
}

function languageName(code: string): string {
  const name = LANGUAGES[code];
  if (name === undefined) throw new Error(`quick start: no name for programs in ${code}`);
  return name;
}

// Characters that could end a string or have a meaning in a shell. All others are safe in all three languages.
const PLAIN = /^[\p{L}\p{N} &.,()+-]+$/u;

/** Returns whether a name can be inserted unchanged into programs of all three languages. */
export function isPlainName(name: string): boolean {
  return PLAIN.test(name);
}

function filled(code: string, { site, city, name }: QuickStartValues): string {
  return code
    .replaceAll(WRITTEN.site, () => site)
    .replaceAll(`"${WRITTEN.city}"`, () => `"${city}"`)
    .replaceAll(`CITY=${WRITTEN.city}`, () => `CITY=${city}`)
    .replaceAll(`"${WRITTEN.name}"`, () => `"${name}"`);
}

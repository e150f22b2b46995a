import { PRESENCE_KIND_TEXT, SERVICE } from "../../contract/records/claim-boundary.ts";
import { type Surface, surfaceUrl } from "../../resources/surfaces.ts";
import {
  GUIDE_SUMMARY,
  GUIDE_TOOLS,
  type GuidePoint,
  HOW_TO,
  LIMITS_AND_ERRORS,
  READING_RULES,
  SURFACE_GROUPS,
  type SurfaceGroup,
} from "./agent-guide.ts";

/** `/llms.txt` (llmstxt.org): title, summary, reading rules, then lists of links. `baseUrl` has no trailing slash. */
export function llmsTxt(baseUrl: string): string {
  const kinds = Object.entries(PRESENCE_KIND_TEXT).map(([term, text]) => ({ term: `\`${term}\``, text }));
  const tools = GUIDE_TOOLS.map(({ name, description }) => ({ term: name, text: description }));
  const blocks = [
    `# ${SERVICE}`,
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

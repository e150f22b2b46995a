import { cityIndexTool } from "../../contract/mcp/tools.ts";
import { tools } from "../../mcp/tools/tools.ts";
import {
  exampleArguments,
  type QuickStartStep,
  type QuickStartValues,
} from "../../render/reference/quick-start.ts";
import { cityIndex } from "../../resources/cities/city-index.ts";
import type { ReadContext } from "../../resources/define.ts";
import { evidence } from "../../resources/records/evidence.ts";
import { observations } from "../../resources/records/observations.ts";
import { search } from "../../resources/records/search.ts";

/** What the programs of docs/quick-start.md print, computed from the release. `tests/docs/snippets.test.ts` runs them and compares. */

interface PrintedLines {
  readonly curl: readonly string[];
  readonly program: readonly string[]; // in JavaScript and in Python
}

const PAGE = 100;
const LINES_SHOWN = 6;

/** By id of the step. Empty without a record to ask for. */
function printedLines(
  context: ReadContext,
  { city, name }: QuickStartValues,
): Readonly<Record<string, PrintedLines>> {
  const found = search.read(context, {}, { name });
  const [first] = found.results;
  if (first === undefined) return {};
  return {
    "find-a-record-and-read-its-evidence": evidenceLines(context, first.public_id, found.total_count),
    "read-a-whole-city-page-by-page": cityLines(context, city),
    "check-that-a-row-is-in-the-signed-tree": proofLines(context, first.public_id),
    "ask-only-for-what-is-new": { curl: ["304"], program: [] },
  };
}

function evidenceLines(context: ReadContext, publicId: string, total: number): PrintedLines {
  const packet = evidence.read(context, { public_id: publicId }, {});
  const { what_this_proves: proves, what_this_does_not_prove: doesNot } = packet;
  return {
    curl: [
      `"total_count":${total}`,
      `"what_this_proves":${JSON.stringify(proves)}`,
      `"what_this_does_not_prove":${JSON.stringify(doesNot)}`,
    ],
    program: [
      `records found: ${total}`,
      packet.citations.suggested_citation,
      ...proves.map((text) => `proves: ${text}`),
      ...doesNot.map((text) => `does not prove: ${text}`),
    ],
  };
}

function cityLines(context: ReadContext, city: string): PrintedLines {
  const { total_count: total, rankings } = cityIndex.read(context, { city }, { limit: String(PAGE) });
  const pages = Array.from({ length: Math.max(1, Math.ceil(total / PAGE)) }, (_, at) => at);
  return {
    curl: [
      `"total_count":${total}`,
      ...pages
        .map((at) => `page-${at + 1}.json:"returned_count":${Math.min(PAGE, total - at * PAGE)}`)
        .toSorted(), // as a shell lists them
    ],
    program: [
      `records: ${total}`,
      ...rankings.map(({ rank, public_id, name }) => `${rank ?? "not ranked"} ${public_id} ${name}`),
      `read: ${total}`,
    ],
  };
}

function proofLines(context: ReadContext, publicId: string): PrintedLines {
  const [row] = observations.read(context, { public_id: publicId }, {}).observations;
  const { treeSize, origin } = context.snapshot.release();
  return { curl: [], program: [`row ${row?.id} is in the tree of ${treeSize} rows of ${origin}`] };
}

/** The beginning and the last line. */
function shortened(lines: readonly string[]): string {
  const shown = lines.length <= LINES_SHOWN ? lines : [...lines.slice(0, LINES_SHOWN - 2), "…", lines.at(-1)];
  return shown.join("\n");
}

/** The steps, each program with what it prints; without that where the release has no record to ask for. */
export function withAnswers(
  steps: readonly QuickStartStep[],
  context: ReadContext,
  values: QuickStartValues,
) {
  const printed = printedLines(context, values);
  return steps.map(({ programs, ...step }) => ({
    ...step,
    programs: programs.map((program) => {
      const lines = printed[step.id]?.[program.language === "curl" ? "curl" : "program"] ?? [];
      return { ...program, answer: shortened(lines) };
    }),
  }));
}

/** What the last of `connectExamples` answers, as `structuredContent`. */
export function toolAnswer(context: ReadContext, city: string): string {
  const called = tools.find(({ contract }) => contract.name === cityIndexTool.name);
  return JSON.stringify(called?.parse(exampleArguments(city)).run(context), null, 2);
}

import { join } from "node:path";
import { tools } from "../../src/mcp/tools/tools.ts";
import type { ReadContext, Resource } from "../../src/resources/define.ts";
import { resources } from "../../src/resources/index.ts";
import { accountAnswers } from "./account-answers.ts";
import { withExampleContext } from "./world.ts";

export const EXAMPLES_FOLDER = join(import.meta.dirname, "../../fixtures/examples");

/** An operation with its example request; only the response is written. */
interface ExampleSource {
  readonly file: string;
  answer(context: ReadContext): unknown; // a JSON value
}

const SOURCES: readonly ExampleSource[] = [
  ...resources.map((resource) => ({
    file: `${resource.operationId}.json`,
    answer: (context: ReadContext) => exampleRead(context, resource),
  })),
  ...tools.map(({ contract, parse }) => ({
    file: `mcp/${contract.name}.json`,
    answer: (context: ReadContext) => parse(contract.example).run(context),
  })),
];

/** Throws an error that lists the ids of the example world, because the id of a citation changes with its rows. */
function exampleRead(context: ReadContext, { operationId, example, read, enumerate }: Resource): unknown {
  try {
    return read(context, example.path, example.query);
  } catch (cause) {
    const instances = [...enumerate(context.snapshot)].map((path) => JSON.stringify(path));
    const hint = `the example world has ${instances.slice(0, 5).join(", ")}`;
    throw new Error(`example of ${operationId}, ${JSON.stringify(example.path)}: ${hint}`, { cause });
  }
}

/** The text of every example by its path in the folder; deterministic. */
export function exampleFiles(): Promise<Map<string, string>> {
  return withExampleContext(async (context, home) => {
    const reads = SOURCES.map(({ file, answer }) => [file, answer(context)] as const);
    const accounts = [...(await accountAnswers(context, home))].map(
      ([id, answer]) => [`${id}.json`, answer] as const,
    );
    return new Map([...reads, ...accounts].map(([file, answer]) => [file, fileText(answer)]));
  });
}

function fileText(answer: unknown): string {
  const isObject = typeof answer === "object" && answer !== null && !Array.isArray(answer);
  const marked = isObject ? { ...answer, example_only: true } : answer;
  return `${JSON.stringify(marked, null, 2)}\n`;
}

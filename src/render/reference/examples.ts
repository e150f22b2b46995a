import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import type { Resource } from "../../resources/define.ts";

/** Answers of the example world, as `npm run examples` left them. */
const FOLDER = join(import.meta.dirname, "../../../fixtures/examples");

/** The example answer of a resource. Throws as `readExample` does. */
export function exampleAnswer<W>({ operationId, wire }: Resource<W>): W {
  return readExample(operationId, wire);
}

/** The example in the file of that name (without `.json`). Throws Error when there is none, or when it does not fit. */
export function readExample<T>(name: string, schema: z.ZodType<T>): T {
  try {
    return schema.parse(JSON.parse(readFileSync(join(FOLDER, `${name}.json`), "utf8")));
  } catch (cause) {
    const fault = cause instanceof z.ZodError ? z.prettifyError(cause) : String(cause);
    throw new Error(`example of ${name}: ${fault}: run npm run examples`, { cause });
  }
}

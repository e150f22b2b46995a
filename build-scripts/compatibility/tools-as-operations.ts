import { z } from "zod";
import type { JsonObject } from "../../src/kernel/text/canonical-json.ts";

const Schema = z.record(z.string(), z.json());
const Contract = z.object({
  api_version: z.string(),
  tools: z.array(z.object({ name: z.string(), inputSchema: Schema, outputSchema: Schema })),
});

/** The tools of `/mcp/contract.json` as operations of an OpenAPI document, so that one tool compares both contracts. */
export function toolsAsOperations(contract: JsonObject): JsonObject {
  const { api_version, tools } = Contract.parse(contract);
  return {
    openapi: "3.1.0",
    info: { title: "MCP tools", version: api_version },
    paths: Object.fromEntries(
      tools.map(({ name, inputSchema, outputSchema }) => [
        `/${name}`,
        {
          post: {
            operationId: name,
            requestBody: { required: true, content: { "application/json": { schema: inputSchema } } },
            responses: {
              200: { description: "The result.", content: { "application/json": { schema: outputSchema } } },
            },
          },
        },
      ]),
    ),
  };
}

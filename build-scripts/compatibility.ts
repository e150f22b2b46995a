/** `npm run check:contract`: checks that the last released contracts still hold, or that the major version is new. */

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Command } from "commander";
import { z } from "zod";
import type { JsonObject } from "../src/kernel/text/canonical-json.ts";
import { mcpContract } from "../src/render/reference/mcp-contract.ts";
import { openApiDocument } from "../src/render/reference/openapi.ts";
import { toolExamples } from "../src/render/reference/tool-examples.ts";
import { breakingChanges, type Contracts } from "./compatibility/breaking-changes.ts";
import { removalWarnings } from "./compatibility/removal-dates.ts";

const RELEASED = join(import.meta.dirname, "../fixtures/released");
const FILES = { openapi: "openapi.json", mcp: "mcp-contract.json" } as const;

const Document = z.record(z.string(), z.json());

/** Uses a fixed address and revision, so that only the contract itself can differ. */
function currentContracts(): Contracts {
  const baseUrl = "https://presence.example";
  const sourceRevision = "released";
  return {
    openapi: openApiDocument(baseUrl, sourceRevision),
    mcp: mcpContract({ baseUrl, sourceRevision, examples: toolExamples() }),
  };
}

function releasedContracts(): Contracts {
  const read = (file: string): JsonObject =>
    Document.parse(JSON.parse(readFileSync(join(RELEASED, file), "utf8")));
  return { openapi: read(FILES.openapi), mcp: read(FILES.mcp) };
}

async function check({ release = false }: { readonly release?: boolean }): Promise<void> {
  const current = currentContracts();
  for (const warning of removalWarnings(current.mcp, Date.now()))
    process.stderr.write(`warning: ${warning}\n`);
  const breaking = await breakingChanges(releasedContracts(), current);
  for (const change of breaking) process.stderr.write(`breaking: ${change}\n`);
  if (breaking.length > 0) {
    process.stderr.write(
      "Clients of the last release would break: take the change back, or raise the major version in src/contract/versions.ts and say so in docs/api-changelog.md.\n",
    );
    process.exitCode = 1;
    return;
  }
  if (release) writeReleased(current);
  process.stdout.write(release ? `written to ${RELEASED}\n` : "no breaking change\n");
}

function writeReleased(contracts: Contracts): void {
  mkdirSync(RELEASED, { recursive: true });
  for (const name of ["openapi", "mcp"] as const)
    writeFileSync(join(RELEASED, FILES[name]), `${JSON.stringify(contracts[name], null, 2)}\n`);
}

await new Command("compatibility")
  .description("compare the API and the MCP tools with those last released; a breaking change fails")
  .option("--release", "make the present contracts the released ones, if they break nothing")
  .action(check)
  .parseAsync();

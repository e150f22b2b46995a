/** `npm run check:contract`: checks that the last released contracts still hold, but for breaks that are intended. */

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Command } from "commander";
import { z } from "zod";
import { API_VERSION } from "../src/contract/versions.ts";
import type { JsonObject } from "../src/kernel/text/json.ts";
import { toolExamples } from "../src/render/reference/examples.ts";
import { mcpContract } from "../src/render/reference/mcp.ts";
import { openApiDocument } from "../src/render/reference/openapi.ts";
import {
  breakingChanges,
  type Contracts,
  contractFaults,
  IntendedBreaks,
  removalWarnings,
} from "./compatibility/breaking-changes.ts";

const RELEASED = join(import.meta.dirname, "../fixtures/released");
const INTENDED = join(RELEASED, "intended-breaks.json");
const FILES = { openapi: "openapi.json", mcp: "mcp-contract.json" } as const;

const Versioned = z.object({ server: z.object({ version: z.string() }) });
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
  const intended = IntendedBreaks.parse(JSON.parse(readFileSync(INTENDED, "utf8")));
  const released = releasedContracts();
  const breaks = await breakingChanges(released, current);
  const { version } = Versioned.parse(released.mcp).server;
  const faults = contractFaults(breaks, intended, API_VERSION, version);
  for (const fault of faults) process.stderr.write(`${fault}\n`);
  if (faults.length > 0) {
    process.stderr.write(
      `Take a change back that would break clients of the last release. If it is intended, list it in ${INTENDED} with path, change, reason and api_version, raise API_VERSION in src/contract/versions.ts, and say so in docs/api-changelog.md.\n`,
    );
    process.exitCode = 1;
    return;
  }
  if (release) writeReleased(current);
  process.stdout.write(
    release ? `written to ${RELEASED}\n` : `breaking changes: ${breaks.length}, all intended\n`,
  );
}

function writeReleased(contracts: Contracts): void {
  mkdirSync(RELEASED, { recursive: true });
  for (const name of ["openapi", "mcp"] as const)
    writeFileSync(join(RELEASED, FILES[name]), `${JSON.stringify(contracts[name], null, 2)}\n`);
  writeFileSync(INTENDED, "[]\n"); // they are not breaks any more
}

await new Command("compatibility")
  .description("compare the API and the MCP tools with those last released; a breaking change fails")
  .option("--release", "make the present contracts the released ones, if nothing breaks but what is intended")
  .action(check)
  .parseAsync();

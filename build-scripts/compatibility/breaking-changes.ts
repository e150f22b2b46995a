import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { z } from "zod";
import { forClients } from "../../src/contract/json-schema.ts";
import type { JsonObject } from "../../src/kernel/text/json.ts";
import { DAY_MS } from "../../src/kernel/time.ts";

/** The contracts that clients use: the OpenAPI document and `/mcp/contract.json`. */
export interface Contracts {
  readonly openapi: JsonObject;
  readonly mcp: JsonObject;
}

/** A change that can break a client. */
export interface BreakingChange {
  /** Where it is, as it is printed and listed: `REST #/paths/…`, `MCP #/paths/…` or `MCP limit …`. */
  readonly path: string;
  readonly change: string;
}

/** Each of them, whatever the versions of the two contracts are. */
export async function breakingChanges(released: Contracts, current: Contracts): Promise<BreakingChange[]> {
  return [
    // Read alike, since null as an alternative and null as a second type are the same to a client.
    ...(await majorChanges("REST", forClients(released.openapi, true), forClients(current.openapi, true))),
    ...(await majorChanges("MCP", toolsAsOperations(released.mcp), toolsAsOperations(current.mcp))),
    ...loweredLimits(released.mcp, current.mcp),
  ];
}

const Report = z.object({
  changes: z.array(
    z.object({
      path: z.string(),
      impact: z.string(),
      kind: z.string(),
      verdicts: z.array(z.object({ message: z.string() })),
    }),
  ),
});

const run = promisify(execFile);
const REDOCLY = join(import.meta.dirname, "../../node_modules/@redocly/cli/bin/cli.js");

async function majorChanges(
  label: string,
  released: JsonObject,
  current: JsonObject,
): Promise<BreakingChange[]> {
  const folder = mkdtempSync(join(tmpdir(), "contracts-"));
  try {
    const [base, revision, report] = ["base", "revision", "report"].map((name) =>
      join(folder, `${name}.json`),
    );
    if (base === undefined || revision === undefined || report === undefined) return [];
    writeFileSync(base, JSON.stringify(released));
    writeFileSync(revision, JSON.stringify(current));
    const options = ["--format", "json", "--fail-on", "none", "--output", report];
    await run(process.execPath, [REDOCLY, "diff", base, revision, ...options], {
      env: { REDOCLY_TELEMETRY: "off" },
    });
    return Report.parse(JSON.parse(readFileSync(report, "utf8")))
      .changes.filter(({ impact }) => impact === "major")
      .map(({ path, kind, verdicts }) => {
        const why = verdicts.map(({ message }) => message).join(" ");
        return { path: `${label} ${path}`, change: why === "" ? kind : `${kind}: ${why}` };
      });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const Limits = z.object({ limits: z.record(z.string(), z.json()) });

/** A client that respects the documented limits must not be refused. */
function loweredLimits(released: JsonObject, current: JsonObject): BreakingChange[] {
  const now = new Map(numbersIn(Limits.parse(current).limits));
  return numbersIn(Limits.parse(released).limits).flatMap(([name, before]) => {
    const after = now.get(name);
    // Only the minimum length of a list breaks clients when it rises.
    const isWorse = after !== undefined && (name.endsWith(".min") ? after > before : after < before);
    const path = `MCP limit ${name}`;
    if (after === undefined) return [{ path, change: "removed" }];
    return isWorse ? [{ path, change: `changed from ${before} to ${after}` }] : [];
  });
}

/** Every number in an object, by its path. */
function numbersIn(value: unknown, path = ""): [name: string, value: number][] {
  if (typeof value === "number") return [[path, value]];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    numbersIn(inner, path === "" ? key : `${path}.${key}`),
  );
}

/** The entries of `fixtures/released/intended-breaks.json`: changes that break clients on purpose, since the last release of the contracts. */
export const IntendedBreaks = z.array(
  z.strictObject({
    path: z.string(),
    change: z.string(), // as the check prints it: another change at the same path is another break
    reason: z.string().min(1),
    api_version: z.string(),
  }),
);
export type IntendedBreaks = z.infer<typeof IntendedBreaks>;

/** What is wrong: breaks that are not listed, entries that are no break or are of another API version, and a version that was not raised for them. */
export function contractFaults(
  breaks: readonly BreakingChange[],
  intended: IntendedBreaks,
  apiVersion: string,
  releasedVersion: string,
): string[] {
  const textOf = ({ path, change }: BreakingChange) => `${path}: ${change}`;
  const [found, listed] = [new Set(breaks.map(textOf)), new Set(intended.map(textOf))];
  return [
    ...[...found].filter((text) => !listed.has(text)).map((text) => `breaking: ${text}`),
    ...[...listed].filter((text) => !found.has(text)).map((text) => `intended, but no break: ${text}`),
    ...intended
      .filter(({ api_version }) => api_version !== apiVersion)
      .map(
        (entry) =>
          `intended in API version ${entry.api_version}, and this is ${apiVersion}: ${textOf(entry)}`,
      ),
    ...(intended.length > 0 && apiVersion === releasedVersion
      ? [`API version ${apiVersion} is released without the breaks that are listed: raise API_VERSION`]
      : []),
  ];
}

const WARNING_DAYS = 90;

const Deprecations = z.object({
  deprecations: z.array(z.object({ tool: z.string(), removal_after: z.iso.date() })),
});

/** A sentence for each tool of the MCP contract that is still served and whose `removal_after` is past or less than 90 days off. `now` in ms. */
export function removalWarnings(contract: JsonObject, now: number): string[] {
  return Deprecations.parse(contract).deprecations.flatMap(({ tool, removal_after }) => {
    const days = Math.floor((Date.parse(removal_after) - now) / DAY_MS);
    if (days >= WARNING_DAYS) return [];
    const when = days < 0 ? "is past" : `comes in ${days} days`;
    return [
      `removal_after of the tool ${tool} (${removal_after}) ${when}, and the tool is still served: remove it, list the break as intended, or choose a later date and say so in docs/api-changelog.md`,
    ];
  });
}

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

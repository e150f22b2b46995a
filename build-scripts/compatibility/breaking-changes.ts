import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { z } from "zod";
import type { JsonObject } from "../../src/kernel/text/canonical-json.ts";
import { toolsAsOperations } from "./tools-as-operations.ts";

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
    ...(await majorChanges("REST", released.openapi, current.openapi)),
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

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

/** Describes each change that can break a client; empty when the major version was raised. */
export async function breakingChanges(released: Contracts, current: Contracts): Promise<string[]> {
  if (majorOf(current) > majorOf(released)) return [];
  return [
    ...(await majorChanges("REST", released.openapi, current.openapi)),
    ...(await majorChanges("MCP", toolsAsOperations(released.mcp), toolsAsOperations(current.mcp))),
    ...loweredLimits(released.mcp, current.mcp),
  ];
}

const Versioned = z.object({ info: z.object({ version: z.string() }) });

function majorOf({ openapi }: Contracts): number {
  return Number.parseInt(Versioned.parse(openapi).info.version, 10);
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

type Change = z.infer<typeof Report>["changes"][number];

/**
 * Accepted new values of response members in the next release: they depend on a parameter that the last release did not have, or correct an error.
 * docs/api-changelog.md lists each. Remove an entry once the release with its values is the last one.
 */
const ACCEPTED_VALUES: readonly { readonly member: RegExp; readonly values: string }[] = [
  { member: /\/matched_by$/, values: "'public_id'" },
  { member: /\/ranking_state(\/anyOf\/0)?$/, values: "'awaiting_cohort', 'outside_ranking'" },
  { member: /\/ranking_gate\/properties\/status$/, values: "'outside_ranking'" },
  { member: /\/missing_requirements\/items$/, values: "'integrity_review', 'active_record'" },
  { member: /~1search\/get\/.*\/coverage_status$/, values: "'not_covered'" },
];

const GAINED_VALUES = /^Enum (?:of `\w+` )?gained values: (.*)\.$/;

function isAccepted({ path, verdicts }: Change): boolean {
  const gained = verdicts.map(({ message }) => GAINED_VALUES.exec(message)?.[1]);
  return ACCEPTED_VALUES.some(
    ({ member, values }) => member.test(path) && gained.length > 0 && gained.every((each) => each === values),
  );
}

const run = promisify(execFile);
const REDOCLY = join(import.meta.dirname, "../../node_modules/@redocly/cli/bin/cli.js");

async function majorChanges(label: string, released: JsonObject, current: JsonObject): Promise<string[]> {
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
      .changes.filter((change) => change.impact === "major" && !isAccepted(change))
      .map(({ path, kind, verdicts }) => {
        const why = verdicts.map(({ message }) => message).join(" ");
        return `${label} ${path} was ${kind}${why === "" ? "" : `: ${why}`}`;
      });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const Limits = z.object({ limits: z.record(z.string(), z.json()) });

/** A client that respects the documented limits must not be refused. */
function loweredLimits(released: JsonObject, current: JsonObject): string[] {
  const now = new Map(numbersIn(Limits.parse(current).limits));
  return numbersIn(Limits.parse(released).limits).flatMap(([name, before]) => {
    const after = now.get(name);
    // Only the minimum length of a list breaks clients when it rises.
    const isWorse = after !== undefined && (name.endsWith(".min") ? after > before : after < before);
    if (after === undefined) return [`MCP limit ${name} was removed`];
    return isWorse ? [`MCP limit ${name} was changed from ${before} to ${after}`] : [];
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

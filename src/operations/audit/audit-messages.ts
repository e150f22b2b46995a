/** Messages between the thread that deals out the work of an audit and those that do it. */
import { z } from "zod";
import type { AuditedBundle, BundleTask } from "../../proof/audit/bundle-audit.ts";
import type { Found } from "../../proof/audit/findings.ts";

/** Work for a thread; `end`: there is no more. Files are a text, which costs a tenth of as many objects on the way. */
export type AuditUnit =
  | { readonly unit: number; readonly bundles: readonly BundleTask[] }
  | { readonly unit: number; readonly files: string }
  | "end";

const FoundParts = z.object({
  faults: z.array(z.object({ subject: z.string(), problem: z.string() })),
  counts: z.record(z.string(), z.int()),
});

const Bundle = z.object({
  index: z.int(),
  leafHashes: z.instanceof(Uint8Array),
  root: z.instanceof(Uint8Array).optional(),
  entryHashes: z.map(z.int(), z.string()),
  statements: z.array(z.object({ row: z.int(), kind: z.string(), body: z.unknown() })),
  undisclosed: z.array(z.object({ row: z.int(), kind: z.string() })),
  unreadable: z.array(z.int()),
  lastDisclosed: z.int(),
  bodies: z.string().optional(),
  tree: FoundParts,
  files: FoundParts,
});

/** A thread's report on a unit, which also asks for another one. The first reports are of no unit. */
export const AuditReport = z.object({
  unit: z.int().optional(),
  done: z.int(), // files
  bundles: z.array(Bundle).optional(),
  files: FoundParts.optional(),
});
export interface AuditReport {
  readonly unit?: number;
  readonly done: number;
  readonly bundles?: readonly AuditedBundle[];
  readonly files?: Found;
}

import { existsSync, readFileSync } from "node:fs";
import { hasErrorCode, OperatorError } from "../errors.ts";

/** The text of a file that the operator named with `option`, if any. Throws OperatorError for a file that cannot be read or is not UTF-8. */
export function readNamedFile(path: string, option = ""): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(readFileSync(path));
  } catch (cause) {
    throw new OperatorError(`${`${option} ${path}`.trim()}: ${problemOf(cause)}`, { cause });
  }
}

/** Throws OperatorError naming the first file that does not exist. */
export function assertFilesExist(paths: readonly string[]): void {
  const missing = paths.find((path) => !existsSync(path));
  if (missing !== undefined) throw new OperatorError(`${missing}: there is no such file`);
}

function problemOf(cause: unknown): string {
  if (hasErrorCode(cause, "ENOENT")) return "there is no such file";
  if (cause instanceof TypeError) return "the file is not UTF-8";
  return `the file cannot be read (${cause instanceof Error ? cause.message : String(cause)})`;
}

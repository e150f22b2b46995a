import { OperatorError } from "./errors.ts";
import { sha256Hex } from "./hash.ts";
import { canonicalJson, type JsonValue } from "./text/json.ts";

const CODE_DIGITS = 8;

/** The code that a preview prints: it stands for what was shown, so what is confirmed is what was shown. */
export function confirmationCode(shown: JsonValue): string {
  return sha256Hex(canonicalJson(shown)).slice(0, CODE_DIGITS);
}

/** Throws OperatorError unless `confirm` is the code of a preview of what is stored as it is. */
export function assertConfirmed(confirm: string | undefined, code: string): void {
  if (confirm !== code) throw notConfirmed(confirm, "the ledger or the request");
}

/** For the code of another preview. */
export function notConfirmed(confirm: string | undefined, changed: string): OperatorError {
  return new OperatorError(
    `--confirm ${confirm} does not match: ${changed} has changed since. Run the command without --confirm, read the preview, and use the code that it prints`,
  );
}

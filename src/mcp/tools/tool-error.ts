/** What a caller can put right: an `isError` result whose text names the fix. Anything else that a tool throws is masked. */
export class ToolError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "ToolError";
  }
}

/** Arguments that are not what the tool's schema says. */
export class ArgumentError extends ToolError {}

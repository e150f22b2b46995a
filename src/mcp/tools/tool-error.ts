/** A caller error: becomes an `isError` result whose text names the fix. All other errors are masked. */
export class ToolError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "ToolError";
  }
}

/** Arguments that do not match the tool's schema. */
export class ArgumentError extends ToolError {}

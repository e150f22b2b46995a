/** A member of this name may be in the text literally or escaped. */
const MAY_HIDE = /toString|\\u/;

/**
 * JSON from a stranger. A member `toString` shadows what every object needs to be compared or shown, and schemas that measure
 * `length` (zod 4.6) throw at such an object in place of refusing it; so it stays a member, with the method of all objects as
 * its value. Everything else is as JSON.parse makes it. Throws SyntaxError as JSON.parse does.
 */
export function parseUntrustedJson(text: string): unknown {
  return MAY_HIDE.test(text) ? JSON.parse(text, convertible) : JSON.parse(text);
}

function convertible(key: string, value: unknown): unknown {
  return key === "toString" ? Object.prototype.toString : value;
}

/** Normalizes a requested slug: slugs are published in lower case and accepted in any case. */
export function citySlug(text: string): string {
  return text.toLowerCase();
}

/** The slug that a request means: slugs are published in lower case, and requests may write them in any case. */
export function citySlug(text: string): string {
  return text.toLowerCase();
}

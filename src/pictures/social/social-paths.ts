/** Paths of pictures for shared links in a release. */

export const SITE_IMAGE = "/pictures/site.png";

export function cityImagePath(slug: string): string {
  return `/pictures/city/${slug}.png`;
}

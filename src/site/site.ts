import { readSnapshotPath } from "../kernel/config/environment.ts";
import { citation } from "../resources/citations/citation.ts";
import { contextAt } from "../resources/release-store.ts";

// Opened once per rendering thread, so every page reads the same release.
export const context = contextAt(readSnapshotPath());

const { snapshot } = context;
export const release = snapshot.release();
export const isDemonstration = release.environment === "demo";

export const SITE_NAME = "Physical Presence Evidence";

export function recordPaths(): { params: { public_id: string } }[] {
  return [...snapshot.publicIds()].map((public_id) => ({ params: { public_id } }));
}

/** Newest citation of each record. */
export function citationPaths(): { params: { id: string | undefined } }[] {
  return [...citation.enumerate(snapshot)].map(({ id }) => ({ params: { id } }));
}

export function cityPaths(): { params: { slug: string } }[] {
  return snapshot.cities().map(({ slug }) => ({ params: { slug } }));
}

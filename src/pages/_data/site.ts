import { readSnapshotPath } from "../../kernel/config.ts";
import { contextAt } from "../../resources/release-store.ts";

/** Opened once per thread that renders; every page reads the same release. */
export const context = contextAt(readSnapshotPath());

const { snapshot } = context;
export const release = snapshot.release();
export const isDemonstration = release.environment === "demo";

export const SITE_NAME = "Physical Presence Evidence";

export function recordPaths(): { params: { public_id: string } }[] {
  return [...snapshot.publicIds()].map((public_id) => ({ params: { public_id } }));
}

export function cityPaths(): { params: { slug: string } }[] {
  return snapshot.cities().map(({ slug }) => ({ params: { slug } }));
}

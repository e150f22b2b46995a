import { readPagesPart, readSnapshotPath } from "../../kernel/config.ts";
import { contextAt } from "../../resources/release-store.ts";

/** Opened once per build; every page reads the same release. */
export const context = contextAt(readSnapshotPath());

const { snapshot } = context;
export const release = snapshot.release();
export const isDemonstration = release.environment === "demo";

export const SITE_NAME = "Physical Presence Evidence";
const part = readPagesPart();

/** The records whose pages this process renders. */
export function recordPaths(): { params: { public_id: string } }[] {
  return [...snapshot.publicIds()]
    .filter((_, index) => index % part.of === part.at)
    .map((public_id) => ({ params: { public_id } }));
}

/** They are few next to those of records, so the first process renders them all. */
export function cityPaths(): { params: { slug: string } }[] {
  return part.at === 0 ? snapshot.cities().map(({ slug }) => ({ params: { slug } })) : [];
}

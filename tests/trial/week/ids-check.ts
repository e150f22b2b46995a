import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { recordUrl } from "../../../src/resources/links.ts";
import { entityPath, type Published, type PublishedRecord } from "./published.ts";
import type { Told } from "./told.ts";

/** Every public id that was ever published, and whose it is: no id is given to another, and none that is gone comes back. */
export class IdRegistry {
  readonly #names = new Map<string, string>();
  readonly #owners = new Map<string, string>(); // of assets: the record they were first shown with
  #last: ReadonlySet<string> = new Set();

  get size(): number {
    return this.#names.size + this.#owners.size;
  }

  /** What is wrong with the ids of the next release. */
  look({ records }: Pick<Published, "records">, told: Told): string[] {
    const faults: string[] = [];
    for (const [publicId, record] of records) faults.push(...this.#lookAtRecord(publicId, record, told));
    for (const publicId of this.#last)
      if (!records.has(publicId) && !told.mergedInto.has(publicId) && !told.gone.has(publicId))
        faults.push(`${publicId} is no longer published, without any decision`);
    this.#last = new Set(records.keys());
    return faults;
  }

  #lookAtRecord(publicId: string, { name, assets }: PublishedRecord, told: Told): string[] {
    const known = this.#names.get(publicId) ?? name;
    this.#names.set(publicId, known);
    return [
      ...(known === name || this.#isOfMerged(name, publicId, told)
        ? []
        : [`${publicId} was "${known}", and is "${name}"`]),
      ...(told.gone.has(publicId) ? [`${publicId} opted out, and is published`] : []),
      ...(told.mergedInto.has(publicId) ? [`${publicId} was merged, and is published`] : []),
      ...assets.flatMap((asset) => this.#lookAtAsset(asset, publicId, told)),
    ];
  }

  /**
   * One record of what was two has the name that more principals saw: either may be that. What was merged before the first release
   * that would have shown it has a name that nobody knows here.
   */
  #isOfMerged(name: string, publicId: string, told: Told): boolean {
    return [...told.mergedInto.keys()].some(
      (other) => told.rootOf(other) === publicId && (this.#names.get(other) ?? name) === name,
    );
  }

  #lookAtAsset(asset: string, publicId: string, told: Told): string[] {
    const first = this.#owners.get(asset) ?? publicId;
    this.#owners.set(asset, first);
    const faults = this.#names.has(asset) ? [`${asset} is an asset and a record`] : [];
    return told.rootOf(first) === publicId
      ? faults
      : [...faults, `asset ${asset} was of ${first}, and is of ${publicId}, not of ${told.rootOf(first)}`];
  }
}

/** Whether the addresses of records that were merged lead on, in files alone. */
export function mergedFileFaults({ site, records }: Published, told: Told): string[] {
  return [...told.mergedInto.keys()].flatMap((publicId) => {
    const root = told.rootOf(publicId);
    const page = join(site, recordUrl("", publicId), "index.html");
    const leadsOn = existsSync(page) && readFileSync(page, "utf8").includes(`url=/record/${root}/"`);
    return [
      ...(leadsOn ? [] : [`the page of ${publicId} does not lead to ${root}`]),
      ...(records.has(root) ? [] : [`${root}, which ${publicId} was merged into, is not published`]),
      ...(existsSync(join(site, entityPath(publicId))) ? [`${publicId} was merged, and has a document`] : []),
    ];
  });
}

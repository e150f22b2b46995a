/**
 * Observations that reviewers moved: from then on one is of another record or asset, under its principal's tag there. The last row about
 * it counts. An asset is of the record that the last row which named it moved an observation to. Merges come after it.
 */
import type { AssetBody, ObservationBody, ReassignBody } from "../rows/rows.ts";

/** Whose an observation is. */
export type Place = Pick<ObservationBody, "record" | "asset" | "observer_tag">;

export class Reassigned {
  readonly #places = new Map<number, Place>();
  readonly #owners = new Map<number, number>();

  /** Rows must come in order. */
  apply({ target, record, asset, observer_tag }: ReassignBody): void {
    this.#places.set(target, { record, asset, observer_tag });
    this.#owners.set(asset, record);
  }

  /** Observation -> its place, of all that were moved. */
  places(): ReadonlyMap<number, Place> {
    return this.#places;
  }

  /** An observation as it counts. */
  placed<T extends Place>(observation: number, body: T): T {
    const place = this.#places.get(observation);
    return place === undefined ? body : { ...body, ...place };
  }

  /** The record that has an observation of `record`. */
  recordOf(observation: number, record: number | undefined): number | undefined {
    return this.#places.get(observation)?.record ?? record;
  }

  /** An asset with the record that has it. */
  owned<T extends Pick<AssetBody, "record">>(asset: number, body: T): T {
    const record = this.#owners.get(asset);
    return record === undefined ? body : { ...body, record };
  }
}

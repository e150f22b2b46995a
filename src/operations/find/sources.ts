/** What `presence find` looks into. */

import { basename } from "node:path";
import { heldRelease } from "../../build/stages/held.ts";
import { currentRelease } from "../../build/stages/publish.ts";
import { type IntakeHashes, intakeHashes } from "../../intake/lines/sighting.ts";
import { registeredIn } from "../../intake/sources/entry.ts";
import { type Home, releasePaths } from "../../kernel/home.ts";
import { loadIntakeKey } from "../../ledger/keys/keys.ts";
import type { LedgerReader } from "../../ledger/reader.ts";
import { DeskState } from "../../review/desk-state.ts";
import { isReadable, openSnapshot, type Snapshot } from "../../snapshot/snapshot.ts";

export interface PublishedRelease {
  readonly snapshot: Snapshot;
  readonly directory: string; // its name
  readonly facts: ReturnType<Snapshot["release"]>;
}

/** Owns the snapshot that it opens. */
export class FindSources implements Disposable {
  readonly ledger: LedgerReader;
  readonly hashes: IntakeHashes;
  readonly release: PublishedRelease | undefined;
  readonly hasHeldRelease: boolean;
  readonly lastSealedRow: number;
  /** Source and observer -> its name, where the source keeps names. */
  readonly observerNames: ReadonlyMap<string, string>;
  #state: DeskState | undefined;

  constructor(ledger: LedgerReader, home: Home) {
    const { purposeKey } = loadIntakeKey(home.keys, ledger.meta.environment);
    const registry = { observers: () => ledger.observers(), sources: () => ledger.sources() };
    this.ledger = ledger;
    this.hashes = intakeHashes(purposeKey, registeredIn(registry));
    const names = ledger.observerNames();
    this.observerNames = new Map(names.map(({ source, observer, name }) => [`${source} ${observer}`, name]));
    this.release = published(home);
    this.hasHeldRelease = heldRelease(home) !== undefined;
    this.lastSealedRow = ledger.lastSealedRow(ledger.latestCheckpoint()?.size ?? 0);
  }

  /** Read when it is first needed: it reads the ledger through. */
  get state(): DeskState {
    this.#state ??= new DeskState(this.ledger.deskRows.rows());
    return this.#state;
  }

  [Symbol.dispose](): void {
    this.release?.snapshot.close();
  }
}

function published(home: Home): PublishedRelease | undefined {
  const directory = currentRelease(home);
  if (directory === undefined) return undefined;
  const { snapshot: path } = releasePaths(directory);
  if (!isReadable(path)) return undefined;
  const snapshot = openSnapshot(path);
  return { snapshot, directory: basename(directory), facts: snapshot.release() };
}

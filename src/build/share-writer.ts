import type { RecordDocuments } from "../kernel/record-documents.ts";
import type { PathValues, ReadContext } from "../resources/define.ts";
import { contextAt } from "../resources/release-store.ts";
import { isOfRecords, recordOf } from "../routes/record-documents.ts";
import { readEarlierSite } from "./earlier-site.ts";
import { BuildEffects, type TwinsWanted } from "./effects.ts";
import { touches } from "./mend/touched.ts";
import { ShareTask, type WrittenFiles } from "./stages/shares.ts";
import type { TaskModule } from "./stages/tasks.ts";

export interface ShareWriter {
  readonly context: ReadContext;
  readonly effects: BuildEffects;
  /** Whether the documents of an address with this template are files of the release. */
  areFiles(template: string): boolean;
  /** Whether the items with this number are in this share. */
  isOwn(at: number): boolean;
  /** Whether what has these values in its address may differ from the release that is mended. */
  isTouched(values: PathValues): boolean;
  /** Writes a file with the twins that the values in its address call for, unless `keep` links it. */
  write(values: PathValues, path: string, body: string | Uint8Array): void;
  /** Links the file of the release that is mended, where the values in its address say that nothing in it has changed. */
  keep(values: PathValues, path: string): boolean;
  /** Reports the files written since the last report. */
  report(): void;
}

type WriteShare = (writer: ShareWriter, task: unknown) => void | Promise<void>;

/** A module of `writeInShares`: runs `write` with the release being built, and reports its files. */
export function shareModule(write: WriteShare): TaskModule["run"] {
  return async (task, send: (written: WrittenFiles) => void) => {
    const { snapshot, site, earlierSite, touched, documents, turn, share } = ShareTask.parse(task);
    const context = contextAt(snapshot);
    const effects = new BuildEffects(site, readEarlierSite(earlierSite));
    const report = () => send(effects.drain());
    const isTouched = touched === undefined ? () => true : touches(touched);
    const writer: ShareWriter = {
      context,
      effects,
      areFiles: areFilesWith(documents),
      isOwn: (at) => at % share === turn,
      isTouched,
      write: (values, path, body) => effects.write(path, body, twinsFor(values)),
      keep: (values, path) => !isTouched(values) && effects.keep(path, twinsFor(values)),
      report,
    };
    try {
      await write(writer, task);
      report();
    } finally {
      context.close();
    }
  };
}

function areFilesWith(documents: RecordDocuments): ShareWriter["areFiles"] {
  return (template) => documents === "files" || !isOfRecords(template);
}

/**
 * There are as many files of each kind as records, each is new every night, and few are asked for before the next: their twins would
 * be most of a release. A server or a CDN compresses those that are asked for.
 */
function twinsFor(values: PathValues): TwinsWanted {
  return recordOf(values) === undefined ? "worthwhile" : "none";
}

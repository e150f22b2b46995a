import type { RecordDocuments } from "../kernel/record-documents.ts";
import type { PathValues, ReadContext } from "../resources/define.ts";
import { contextAt } from "../resources/release-store.ts";
import { isOfRecords } from "../site/routes/record-documents.ts";
import { BuildEffects, readEarlierSite } from "./effects.ts";
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
  write(path: string, body: string | Uint8Array): void;
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
      write: (path, body) => effects.write(path, body),
      keep: (values, path) => !isTouched(values) && effects.keep(path),
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

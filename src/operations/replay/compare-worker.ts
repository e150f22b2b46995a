import { parentPort, workerData } from "node:worker_threads";
import { filesInFolder } from "../../audit/public-files.ts";
import { contextAt } from "../../resources/release-store.ts";
import { compareDocuments } from "./compare-documents.ts";
import { CompareTask, signedHashes } from "./compare-release.ts";

/** A thread of `presence replay`: compares its share of the documents. */
const { site, snapshot, published, manifestSha256, ...share } = CompareTask.parse(workerData);
const files = filesInFolder(site);
const hashes = await signedHashes(files, manifestSha256);
const context = contextAt(snapshot);
const made = published === undefined ? undefined : contextAt(published);
await compareDocuments({ files, hashes, made }, context, share, (compared) =>
  parentPort?.postMessage(compared),
);
context.close();
made?.close();

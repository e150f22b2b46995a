import { z } from "zod";

/**
 * How a release has the documents of single records: as files, or made from the snapshot when they are asked for. The bytes are
 * the same.
 */
export const RecordDocuments = z.enum(["files", "on-demand"]);
export type RecordDocuments = z.infer<typeof RecordDocuments>;

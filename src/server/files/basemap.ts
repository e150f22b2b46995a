import type { IncomingMessage, ServerResponse } from "node:http";
import { basename, dirname } from "node:path";
import { refuseOtherMethods } from "../http/errors.ts";
import { FileCache } from "./file-cache.ts";
import { sendFile } from "./send-file.ts";

export type AnswerBasemap = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** Answers the operator's map (BASEMAP) in ranges; 204 where there is none, which a page that asks can tell from a fault. */
export function basemapAnswer(path: string | undefined): AnswerBasemap {
  const files = path === undefined ? undefined : new FileCache(dirname(path), 0); // streamed from the disk
  return async (request, response) => {
    refuseOtherMethods(request, response);
    const file = path === undefined ? undefined : await files?.load(`/${basename(path)}`);
    if (file === undefined) response.writeHead(204, ["Cache-Control", "no-store"]).end();
    else sendFile(request, response, file);
  };
}

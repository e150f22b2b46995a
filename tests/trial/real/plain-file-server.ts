import { readFileSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { join, normalize } from "node:path";
import { portOf } from "../../../src/kernel/port.ts";

/** What a test serves instead of the files of the folder: bytes, or null for a file that is not there. */
export type Replaced = ReadonlyMap<string, Uint8Array | null>;

export interface FileServer extends AsyncDisposable {
  readonly url: string;
}

const TYPES: Readonly<Record<string, string>> = {
  css: "text/css",
  html: "text/html",
  js: "text/javascript",
  svg: "image/svg+xml",
};

/** A plain file server, as any host of static files is one: it knows folders' index.html, and nothing of the service. */
export async function serveFiles(folder: string, replaced: Replaced = new Map()): Promise<FileServer> {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://localhost");
    const path = pathname.endsWith("/") ? `${pathname}index.html` : pathname;
    const known = replaced.get(path);
    const file = known === undefined ? readOrNull(join(folder, normalize(path))) : known;
    if (file === null) return void response.writeHead(404).end();
    response.writeHead(200, {
      "Content-Type": TYPES[path.split(".").at(-1) ?? ""] ?? "application/octet-stream",
    });
    response.end(file);
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  return {
    url: `http://127.0.0.1:${portOf(server)}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

function readOrNull(path: string): Buffer | null {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ? readFileSync(path) : null;
}

import { createServer } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { portOf } from "../../../src/kernel/port.ts";

const PIECES = 15;
const BETWEEN = 60; // milliseconds, in which a browser shows what it has

/** The server behind `origin` as a slow line brings it: a page comes in pieces, each begins with a tag. */
export async function servePiecemeal(origin: string): Promise<{ url: string } & AsyncDisposable> {
  const server = createServer(async (request, answer) => {
    const response = await fetch(new URL(request.url ?? "/", origin));
    const type = response.headers.get("content-type") ?? "";
    answer.writeHead(response.status, { "content-type": type });
    if (!type.includes("text/html")) return answer.end(await response.bytes());
    for (const piece of inPieces(await response.text())) {
      answer.write(piece);
      await pause(BETWEEN);
    }
    return answer.end();
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  return {
    url: `http://127.0.0.1:${portOf(server)}`,
    [Symbol.asyncDispose]: () => new Promise((done) => server.close(() => done())),
  };
}

function inPieces(html: string): string[] {
  const tags = html.split(/(?=<)/);
  const size = Math.ceil(tags.length / PIECES);
  return Array.from({ length: PIECES }, (_, at) => tags.slice(at * size, (at + 1) * size).join(""));
}

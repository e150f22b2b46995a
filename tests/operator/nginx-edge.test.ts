import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer, request as plainRequest, type Server } from "node:http";
import { request as tlsRequest } from "node:https";
import type { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type SecureVersion, connect as tlsConnect } from "node:tls";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { installDebianPackages } from "../../build-scripts/ensure-browser.ts";
import { requestSubject } from "../../src/activity/request-subject.ts";
import { freePort, portOf } from "../../src/kernel/port.ts";
import { parseLogLine } from "../../src/operations/access-log.ts";
import { secretAddresses } from "../../src/site/routes/registry.ts";
import { PROJECT } from "../support/operations/presence-process.ts";

/** deploy/nginx/example.conf itself, with other ports and folders, run by Debian's nginx: names, TLS, limits. */

const isThere = () => spawnSync("nginx", ["-v"]).status === 0;
if (!isThere()) await installDebianPackages("nginx-light");
const NAME = "presence.example.org";

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

describe.runIf(isThere())("nginx at the edge", () => {
  const folder = mkdtempSync(join(tmpdir(), "nginx-edge-"));
  const hosts: (string | undefined)[] = []; // as Node gets them
  let node: Server;
  let nginx: ChildProcess;
  let ports: { plain: number; tls: number };

  beforeAll(async () => {
    node = createServer((asked, answer) => {
      hosts.push(asked.headers.host);
      answer.end("node\n");
    }).listen(0, "127.0.0.1");
    await once(node, "listening");
    ports = { plain: await freePort(), tls: await freePort() };
    mkdirSync(join(folder, "site"));
    writeFileSync(join(folder, "site/index.html"), "<!doctype html>\n");
    certificate(folder);
    symlinkSync(join(PROJECT, "deploy", "nginx"), join(folder, "presence"));
    writeFileSync(join(folder, "nginx.conf"), configuration(folder, ports, portOf(node)));
    nginx = spawn("nginx", ["-c", join(folder, "nginx.conf"), "-p", folder], {
      stdio: ["ignore", "ignore", "inherit"],
    });
    await vi.waitFor(() => get("/"), { timeout: 10_000 });
  });
  afterAll(async () => {
    const ended = once(nginx, "exit");
    nginx.kill("SIGTERM");
    await ended;
    node.close();
    rmSync(folder, { recursive: true });
  });

  function get(path: string, host = NAME, isTls = true): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const place = { host: "127.0.0.1", port: isTls ? ports.tls : ports.plain, path, headers: { host } };
      const tls = { ...place, servername: host, rejectUnauthorized: false, agent: false };
      const asked = isTls ? tlsRequest(tls) : plainRequest({ ...place, agent: false });
      asked.on("response", async (answer) => {
        let body = "";
        for await (const chunk of answer) body += String(chunk);
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body });
      });
      asked.on("error", reject).end();
    });
  }

  function protocolOf(version: SecureVersion): Promise<string | null> {
    return new Promise((resolve, reject) => {
      const options = { servername: NAME, rejectUnauthorized: false, ciphers: "DEFAULT@SECLEVEL=0" };
      const socket = tlsConnect(
        { ...options, host: "127.0.0.1", port: ports.tls, minVersion: version, maxVersion: version },
        () => {
          resolve(socket.getProtocol());
          socket.destroy();
        },
      );
      socket.on("error", reject);
    });
  }

  /** The addresses in the log, each of which is written some time after its answer. */
  function logged(): string[] {
    const log = readFileSync(join(folder, "presence.log"), "utf8").trim();
    return log.split("\n").map((line) => Object(parseLogLine(line)).url);
  }

  test("another name, or none, gets no answer: no redirect, no certificate", async () => {
    await expect(get("/", "evil.example", false)).rejects.toThrow(/hang up|ECONNRESET/);
    await expect(get("/", "127.0.0.1", false)).rejects.toThrow(/hang up|ECONNRESET/);
    await expect(get("/", "evil.example")).rejects.toThrow(/unrecognized name|alert/);
  });

  test("http leads to the one name, whatever else the request says", async () => {
    const { status, headers } = await get("/city/toronto/?x=1", NAME, false);
    expect([status, headers["location"]]).toEqual([308, `https://${NAME}/city/toronto/?x=1`]);
    const odd = await get("/", `${NAME.toUpperCase()}:8080`, false);
    expect(odd.headers["location"]).toBe(`https://${NAME}/`);
  });

  test("Node gets the configured name, not the client's text", async () => {
    hosts.length = 0;
    expect((await get("/api/v1/search?q=a", `${NAME}:99`)).body).toBe("node\n");
    expect(hosts).toEqual([NAME]);
  });

  test.each(["/", "/nothing/", "/api/v1/search?q=a", "/.away/json"])("%s has HSTS", async (path) => {
    expect((await get(path)).headers["strict-transport-security"]).toBe("max-age=63072000");
  });

  test("TLS 1.2 and 1.3 alone", async () => {
    expect(await protocolOf("TLSv1.2")).toBe("TLSv1.2");
    expect(await protocolOf("TLSv1.3")).toBe("TLSv1.3");
    for (const old of ["TLSv1", "TLSv1.1"] as const) await expect(protocolOf(old)).rejects.toThrow();
  });

  test("the version of nginx is not told", async () => {
    expect((await get("/")).headers["server"]).toBe("nginx");
  });

  test("the log has no id that only its owner knows, and is read all the same", async () => {
    for (const address of secretAddresses)
      for (const path of [`${address}geheim`, `${address}geheim/check?token=geheim`, `/${address}/geheim`])
        await get(path);
    for (const address of secretAddresses)
      await vi.waitFor(() => expect(logged().filter((url) => url === `${address}-`)).toHaveLength(3));
    expect(logged().join()).not.toContain("geheim");
    expect(requestSubject("GET", `${secretAddresses[0]}-`).operation).toBe("getReport");
  });

  test("nor one in an address that is written as no client does", async () => {
    for (const path of oddSpellings(secretAddresses[0] ?? "")) await get(`${path}geheim?token=geheim`);
    const plain = ["/city/s%C3%A3o-paulo/", "/city/new%20york/", "/.well-known/x", "/pulse/a...b/"];
    for (const path of plain) await get(path);
    await vi.waitFor(() => expect(logged().slice(-plain.length)).toEqual(plain));
    expect(logged().join()).not.toContain("geheim");
    expect(logged().at(-plain.length - 1)).toBe("/-");
  });

  test("connections of one client are capped", async () => {
    const open: Socket[] = [];
    try {
      const idle = `GET /api/v1/search?q=a HTTP/1.1\r\nHost: ${NAME}\r\n`;
      expect(readFileSync(join(PROJECT, "deploy/nginx/site.conf"), "utf8")).toContain(
        "limit_conn presence_client_connections 100;",
      );
      node.removeAllListeners("request"); // so that answers stay out, and connections count
      for (let n = 0; n < 100; n += 1) open.push(openTls(ports.tls, `${idle}\r\n`));
      await vi.waitFor(async () => expect((await get("/")).status).toBe(429), { timeout: 10_000 });
    } finally {
      for (const socket of open) socket.destroy();
    }
    node.on("request", (_, answer) => answer.end("node\n"));
    await vi.waitFor(async () => expect((await get("/")).status).toBe(200), { timeout: 10_000 });
  });

  // Last: it uses up what the client may ask.
  test("requests of one client are capped, and the refusal says so", async () => {
    const answers = await Promise.all(Array.from({ length: 80 }, () => burst(ports.tls, 8)));
    const all = answers.join("");
    expect(all.match(/HTTP\/1\.1 200/g)?.length).toBeGreaterThan(50);
    expect(all).toContain("HTTP/1.1 429");
    expect(all).toContain('{"error":"too many requests or connections from this client');
    expect(all).toMatch(/retry-after: 1/i);
  });
});

/** The same address as nginx understands it, written as no client does. */
function oddSpellings(address: string): string[] {
  const encoded = (part: RegExp) =>
    address.replace(part, (each) => `%${each.charCodeAt(0).toString(16).toUpperCase()}`);
  return [
    ...[/[^/]/g, /(?<=.)\//, /\/$/, /p/, /\d/].map(encoded),
    encoded(/o/).toLowerCase(),
    address.replace("/v1/", "/./v1/"),
    address.replace("/v1/", "/v1/x/../"),
    `/x/..${address}`,
  ];
}

function openTls(port: number, text: string): Socket {
  const socket = tlsConnect({ host: "127.0.0.1", port, servername: NAME, rejectUnauthorized: false }, () => {
    socket.write(text);
  });
  socket.on("error", () => undefined);
  return socket;
}

/** Several requests over one connection; resolves with all that came back. */
async function burst(port: number, count: number): Promise<string> {
  const asked = `GET / HTTP/1.1\r\nHost: ${NAME}\r\n\r\n`.repeat(count - 1);
  const socket = openTls(port, `${asked}GET / HTTP/1.1\r\nHost: ${NAME}\r\nConnection: close\r\n\r\n`);
  let text = "";
  for await (const chunk of socket) text += String(chunk);
  return text;
}

function certificate(folder: string): void {
  const files = ["-keyout", join(folder, "key.pem"), "-out", join(folder, "cert.pem")];
  execFileSync(
    "openssl",
    ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", `/CN=${NAME}`, ...files],
    { stdio: "ignore" },
  );
}

/** Debian's own nginx.conf around example.conf; IPv6 need not be there. */
function configuration(folder: string, ports: { plain: number; tls: number }, nodePort: number): string {
  const example = readFileSync(join(PROJECT, "deploy/nginx/example.conf"), "utf8")
    .replaceAll(/^ *listen \[::\].*$/gm, "")
    .replaceAll("listen 80", `listen 127.0.0.1:${ports.plain}`)
    .replaceAll("listen 443", `listen 127.0.0.1:${ports.tls}`)
    .replace("127.0.0.1:4321", `127.0.0.1:${nodePort}`)
    .replace(/ssl_certificate .*;/, `ssl_certificate ${folder}/cert.pem;`)
    .replace(/ssl_certificate_key .*;/, `ssl_certificate_key ${folder}/key.pem;`)
    .replaceAll("/var/log/nginx/", `${folder}/`)
    .replace("/srv/presence/night/current/site", `${folder}/site`);
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  );
  return `daemon off; user root; worker_processes 1; pid ${folder}/pid; error_log ${folder}/error.log;
    events { worker_connections 1024; }
    http { ${temporary.join(" ")} ${example} }`;
}

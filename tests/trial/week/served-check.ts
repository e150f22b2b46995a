import { z } from "zod";
import type { Machine } from "./machine.ts";
import type { Told } from "./told.ts";

const Refused = z.looseObject({ error: z.string(), merged_into: z.string().optional() });

/** Starts the real server over the published release, and asks it for every record that was merged or is gone. */
export async function servedFaults(machine: Machine, told: Told): Promise<string[]> {
  return serving(machine, async (url) => [
    ...(await faultsOfAll(told.mergedInto.keys(), (id) => mergedFaults(url, id, told.rootOf(id)))),
    ...(await faultsOfAll(told.gone, (id) => goneFaults(url, id))),
  ]);
}

/** Runs the server while `work` goes on. */
export async function serving<T>(machine: Machine, work: (url: string) => Promise<T>): Promise<T> {
  const server = machine.start(["serve"]);
  try {
    await server.said("Ctrl-C");
    const [url] = /http:\/\/127\.0\.0\.1:\d+/.exec(server.stdout()) ?? [];
    if (url === undefined) throw new Error(`presence serve: ${(await server.done).stderr}`);
    return await work(url);
  } finally {
    server.child.kill();
    await server.done;
  }
}

async function faultsOfAll(
  ids: Iterable<string>,
  look: (publicId: string) => Promise<string[]>,
): Promise<string[]> {
  const faults: string[] = [];
  for (const publicId of ids) faults.push(...(await look(publicId)));
  return faults;
}

async function mergedFaults(url: string, publicId: string, root: string): Promise<string[]> {
  const page = await ask(`${url}/record/${publicId}/`);
  const document = await ask(`${url}/api/v1/entity/${publicId}`);
  const stays = await ask(`${url}/api/v1/entity/${root}`);
  const said = Refused.safeParse(document.body).data?.merged_into;
  return [
    ...(page.status === 301 && page.location?.endsWith(`/record/${root}/`)
      ? []
      : [`/record/${publicId}/: ${page.status} ${page.location}, not 301 to ${root}`]),
    ...(document.status === 404 && said === root
      ? []
      : [`/api/v1/entity/${publicId}: ${document.status}, merged into ${said}, not 404 with ${root}`]),
    ...(stays.status === 200 ? [] : [`/api/v1/entity/${root}: ${stays.status}, and it is there`]),
  ];
}

async function goneFaults(url: string, publicId: string): Promise<string[]> {
  const answers = await Promise.all([
    ask(`${url}/record/${publicId}/`),
    ask(`${url}/api/v1/entity/${publicId}`),
  ]);
  return answers.every(({ status }) => status === 404) ? [] : [`${publicId} opted out, and is answered`];
}

async function ask(url: string) {
  const answer = await fetch(url, { redirect: "manual" });
  const text = await answer.text();
  const body: unknown = answer.headers.get("content-type")?.includes("json") ? JSON.parse(text) : undefined;
  return { status: answer.status, location: answer.headers.get("location"), body };
}

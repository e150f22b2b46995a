import type { TestProject } from "vitest/node";
import { PostgresCluster } from "./postgres.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** A database server of the tests' own, as its superuser; undefined where PostgreSQL cannot be had. */
    postgresUrl: string | undefined;
  }
}

/** Once for all tests of the state: a server in which each makes a database. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const cluster = await PostgresCluster.start();
  project.provide("postgresUrl", cluster?.url);
  if (cluster === undefined)
    process.stderr.write(
      "PostgreSQL is not here, and only root can install it: the state is tested on SQLite alone (Debian: apt-get install postgresql)\n",
    );
  return async () => cluster?.[Symbol.asyncDispose]();
}

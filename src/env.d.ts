/// <reference types="astro/client" />

import type { PageLocals } from "./site/locals.ts";

declare global {
  namespace App {
    interface Locals extends PageLocals {}
  }
}

/// <reference types="astro/client" />

import type { PageLocals } from "./site/page-program.ts";

declare global {
  namespace App {
    interface Locals extends PageLocals {}
  }
}

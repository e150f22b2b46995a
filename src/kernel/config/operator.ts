import { z } from "zod";
import { concern, path } from "./setting.ts";

/** What the site says about its operator. */
export const operator = concern(
  {
    SECURITY_CONTACT: z
      .url({ protocol: /^(https|mailto)$/, error: "must be a mailto: or https:// address" })
      .regex(/^[!-~]+$/, "must be printable ASCII without spaces")
      .optional()
      .describe(
        "contact for security reports, mailto: or https://, published in security.txt; unset: no such file",
      ),
    OPERATOR_NAME: z
      .string()
      .max(200)
      .regex(/^(?=.*\S)\P{Cc}+$/u, "must be one line of text")
      .optional()
      .describe("name of the site's operator, as shown on its pages; unset: the pages give no name"),
    OPERATOR_TEXTS: path
      .optional()
      .describe(
        "folder with the operator's own texts for the pages, any of `about.md`, `licence.md`, `privacy.md`, `terms.md`; unset: none",
      ),
    INCIDENTS_FILE: path
      .optional()
      .describe(
        "JSON file with the incidents shown on the status page; unset: `night/incidents.json` in PRESENCE_HOME, if it exists",
      ),
  },
  (values) => ({
    securityContact: values.SECURITY_CONTACT,
    operatorName: values.OPERATOR_NAME?.trim(),
    operatorTexts: values.OPERATOR_TEXTS, // folder
    incidentsFile: values.INCIDENTS_FILE,
  }),
);

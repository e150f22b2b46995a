import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { z } from "zod";

const OpenApi = z.looseObject({ paths: z.record(z.string(), z.unknown()) });

/** What is wrong with the text of a file of the API, or undefined; files of other kinds are nothing to it. */
export type DocumentCheck = (file: string, text: string) => string | undefined;

/** Checks a release's JSON as a client would who has nothing but its `openapi.json`. */
export function documentCheck(openApiText: string): DocumentCheck {
  const document = OpenApi.parse(JSON.parse(openApiText));
  const ajv = new Ajv2020({ strict: false });
  addFormats.default(ajv);
  ajv.addSchema(document, "openapi");
  const checks = Object.keys(document.paths).map((path) => ({
    form: new RegExp(`^${path.slice(1).replace(/\{\w+\}/g, "[^/]+")}\\.json$`),
    validate: ajv.getSchema(`openapi#/${responseSchema(path)}`),
  }));
  return (file, text) => {
    if (!file.startsWith("api/") || !file.endsWith(".json")) return undefined;
    const validate = checks.find(({ form }) => form.test(file))?.validate;
    if (validate === undefined) return `${file}: openapi.json does not describe it`;
    return validate(JSON.parse(text)) ? undefined : `${file}: ${ajv.errorsText(validate.errors)}`;
  };
}

function responseSchema(path: string): string {
  const steps = ["paths", path, "get", "responses", "200", "content", "application/json", "schema"];
  return steps.map((step) => step.replaceAll("~", "~0").replaceAll("/", "~1")).join("/");
}

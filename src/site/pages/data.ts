import { ExportsIndex } from "../../contract/service/exports-index.ts";
import { perSite, type Site } from "../site.ts";

type File = ExportsIndex["files"][number];

interface FileGroup {
  readonly name: string;
  readonly files: readonly File[];
}

/** The questions of docs/data-questions.md. */
export function questions(markdown: string) {
  const [, ...sections] = markdown.split(/^## /m);
  return sections.map((section) => {
    const [, title = "", text = "", sql = ""] =
      /^(.+)\n\n([\s\S]*?)\n\n```sql\n([\s\S]*?)```/.exec(section) ?? [];
    return { title, text: text.replace(/\s+/g, " "), sql: sql.trim() };
  });
}

/** The catalogue of all files below `/exports/`, which an earlier stage has written. */
export const dataPage = perSite((site: Site) => {
  const index = ExportsIndex.parse(JSON.parse(site.text("exports/index.json")));
  const single = index.files.filter(({ license }) => license === "terms");
  const cities = Map.groupBy(single, ({ city }) => city);
  const named = site.context.snapshot.cities().flatMap(({ slug, name }): FileGroup[] => {
    const files = cities.get(slug);
    return files === undefined ? [] : [{ name, files }];
  });
  return {
    index,
    open: index.files.filter(({ license }) => license === "open"),
    cities: named,
    terms: [{ name: "Changes in all cities", files: cities.get(null) ?? [] }],
    tables: Object.entries(index.tables).map(([name, table]) => ({ name, ...table })),
  };
});

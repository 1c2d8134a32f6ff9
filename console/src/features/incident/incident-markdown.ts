/** An incident as Markdown, for a ticket or a chat. Pure. */
import type { IncidentSection } from "./incident-sections.ts";

type IncidentDocument = {
  title: string;
  summary: string;
  sections: readonly IncidentSection[];
};

/** Sections without rows are left out. */
export function readIncidentMarkdown({ title, summary, sections }: IncidentDocument): string {
  const told = sections
    .filter(({ rows }) => rows.length > 0)
    .map(({ title: heading, columns, rows }) =>
      [
        `## ${escapeHtml(heading)}`,
        "",
        makeRow(columns),
        makeRow(columns.map(() => "---")),
        ...rows.map((one) => makeRow(one.map(escapeHtml))),
      ].join("\n"),
    );
  return [`# ${escapeHtml(title)}`, escapeHtml(summary), ...told, ""].join("\n\n");
}

const makeRow = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;

/**
 * Names and errors are foreign texts: none of them may become a link, an image, a mention or
 * another row.
 */
const escapeHtml = (text: string): string =>
  text
    .replaceAll(/\s+/g, " ")
    .replaceAll(/[\\`*_{}[\]<>()#|!~&]/g, "\\$&")
    .replaceAll("@", "@\u200b")
    .replaceAll("://", ":\u200b//");
